package io.holdfast.architecture;

import java.util.List;

/** Counts the lines of a Java file that hold code: not the blank ones, the comments, the imports and the package. */
final class CodeLines {

    private enum Where {
        CODE,
        COMMENT,
        TEXT_BLOCK
    }

    private Where where = Where.CODE;

    private CodeLines() {}

    static int count(List<String> lines) {
        CodeLines reader = new CodeLines();
        int count = 0;
        for (String line : lines) {
            if (reader.isCode(line)) {
                count++;
            }
        }
        return count;
    }

    private boolean isCode(String line) {
        StringBuilder code = new StringBuilder();
        int i = 0;
        while (i < line.length()) {
            if (where == Where.COMMENT) {
                int end = line.indexOf("*/", i);
                i = end < 0 ? line.length() : leave(end + 2);
            } else if (where == Where.TEXT_BLOCK) {
                int end = line.indexOf("\"\"\"", i);
                code.append('"');
                i = end < 0 ? line.length() : leave(end + 3);
            } else if (line.startsWith("//", i)) {
                i = line.length();
            } else if (line.startsWith("/*", i)) {
                where = Where.COMMENT;
                i += 2;
            } else if (line.startsWith("\"\"\"", i)) {
                where = Where.TEXT_BLOCK;
                code.append('"');
                i += 3;
            } else if (line.charAt(i) == '"' || line.charAt(i) == '\'') {
                code.append('"');
                i = afterLiteral(line, i);
            } else {
                code.append(line.charAt(i));
                i++;
            }
        }
        String stripped = code.toString().strip();
        return !stripped.isEmpty() && !stripped.startsWith("import ") && !stripped.startsWith("package ");
    }

    private int leave(int next) {
        where = Where.CODE;
        return next;
    }

    private static int afterLiteral(String line, int start) {
        char quote = line.charAt(start);
        int i = start + 1;
        while (i < line.length() && line.charAt(i) != quote) {
            i += line.charAt(i) == '\\' ? 2 : 1;
        }
        return i + 1;
    }
}
