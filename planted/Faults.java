import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the faults of this folder and plants them. {@code planted/check} runs it from its source.
 *
 * <p>A fault names files by the end of their path and says which lines to replace, so it survives a move of the file.
 * Its lines must stand there exactly once; otherwise it is reported and nothing is changed.
 */
final class Faults {

    /** Each fault quotes lines of the implementation, and somebody who changes them has to change the fault. */
    private static final int MOST_FAULTS = 160;

    private static final int MOST_FAULTS_OF_A_FILE = 12;

    /** Lines of a file to be replaced, or a file to be made. */
    record Edit(String file, boolean isNew, String oldText, String newText) {}

    record Fault(String name, Map<String, String> headers, List<Edit> edits) {

        String header(String key) {
            return headers.getOrDefault(key, "");
        }
    }

    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    private Faults() {}

    /**
     * {@code list FOLDER}, {@code match FOLDER TREE FILES}, {@code plant FOLDER TREE FILES NAME},
     * {@code changed FOLDER TREE FILES OLD_FOLDER CHANGED_FILES}.
     */
    public static void main(String[] args) throws IOException {
        try {
            Path folder = Path.of(args[1]);
            Map<String, Fault> faults = read(folder);
            switch (args[0]) {
                case "list" -> faults.values().forEach(Faults::print);
                case "match" -> {
                    match(faults.values(), new Tree(args[2], args[3]));
                    checkLimits(folder);
                }
                case "plant" -> plant(faults.get(args[4]), new Tree(args[2], args[3]));
                case "changed" -> {
                    Map<String, Fault> old = read(Path.of(args[4]));
                    List<String> changed = Files.readAllLines(Path.of(args[5]));
                    Tree tree = new Tree(args[2], args[3]);
                    for (Fault fault : faults.values()) {
                        if (!fault.equals(old.get(fault.name())) || tree.concerns(fault, changed)) {
                            System.out.println(fault.name());
                        }
                    }
                }
                default -> throw new Malformed("unknown command " + args[0]);
            }
        } catch (Malformed e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void print(Fault fault) {
        System.out.println(Stream.of("breaks", "module", "test", "rules", "goal", "expect")
                .map(fault::header)
                .collect(Collectors.joining("\u001f", fault.name() + "\u001f", "")));
    }

    private static void match(Iterable<Fault> faults, Tree tree) throws IOException, Malformed {
        int failed = 0;
        for (Fault fault : faults) {
            try {
                tree.edited(fault);
            } catch (Malformed e) {
                failed++;
                System.out.println(fault.name() + ": " + e.getMessage());
            }
        }
        if (failed > 0) {
            throw new Malformed(failed + " faults do not match the sources");
        }
    }

    private static void checkLimits(Path folder) throws IOException, Malformed {
        int all = 0;
        for (Path area : areas(folder)) {
            int count = new Area(area).read().size();
            if (count > MOST_FAULTS_OF_A_FILE) {
                throw new Malformed(area.getFileName() + " has " + count + " faults, but a file may have at most "
                        + MOST_FAULTS_OF_A_FILE + ": remove one whose promise another fault or a test covers");
            }
            all += count;
        }
        if (all > MOST_FAULTS) {
            throw new Malformed("there are " + all + " faults, but at most " + MOST_FAULTS + " are allowed"
                    + ": remove one whose promise another fault or a test covers");
        }
    }

    private static void plant(Fault fault, Tree tree) throws IOException, Malformed {
        for (Map.Entry<Path, String> file : tree.edited(fault).entrySet()) {
            Files.createDirectories(file.getKey().getParent());
            Files.writeString(file.getKey(), file.getValue());
        }
    }

    /** The tracked files of a checkout. */
    record Tree(Path root, List<String> files) {

        Tree(String root, String list) throws IOException {
            this(Path.of(root), Files.readAllLines(Path.of(list)));
        }

        /** Returns the files that the fault changes, with their new content. */
        Map<Path, String> edited(Fault fault) throws IOException, Malformed {
            Map<Path, String> edited = new LinkedHashMap<>();
            for (Edit edit : fault.edits()) {
                if (edit.isNew()) {
                    edited.put(root.resolve(edit.file()), edit.newText());
                } else {
                    Path path = find(edit.file());
                    String text = edited.containsKey(path) ? edited.get(path) : Files.readString(path);
                    edited.put(path, replace(edit, text));
                }
            }
            return edited;
        }

        /** Whether a file that the fault edits, or its test, is among those that have changed. */
        boolean concerns(Fault fault, List<String> changed) throws Malformed {
            for (Edit edit : fault.edits()) {
                if (!edit.isNew() && changed.contains(root.relativize(find(edit.file())).toString())) {
                    return true;
                }
            }
            return Stream.of(fault.header("test").split("[,+]"))
                    .map(test -> "/" + test.replaceFirst("#.*", "").replace('.', '/') + ".java")
                    .anyMatch(test -> changed.stream().anyMatch(file -> file.endsWith(test)));
        }

        private Path find(String name) throws Malformed {
            List<String> found = files.stream()
                    .filter(file -> file.equals(name) || file.endsWith("/" + name))
                    .filter(file -> Files.exists(root.resolve(file)))
                    .toList();
            if (found.size() != 1) {
                throw new Malformed(name + " names " + found.size() + " files: " + found);
            }
            return root.resolve(found.get(0));
        }

        private static String replace(Edit edit, String text) throws Malformed {
            // with a line end before the first line, so that only whole lines match
            String lines = "\n" + text;
            String wanted = "\n" + edit.oldText();
            int at = lines.indexOf(wanted);
            if (at < 0) {
                throw new Malformed("the old text is not in " + edit.file());
            }
            if (lines.indexOf(wanted, at + 1) >= 0) {
                throw new Malformed("the old text is more than once in " + edit.file());
            }
            return lines.substring(1, at + 1) + edit.newText() + lines.substring(at + wanted.length());
        }
    }

    private static List<Path> areas(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
        }
    }

    static Map<String, Fault> read(Path folder) throws IOException, Malformed {
        Map<String, Fault> faults = new LinkedHashMap<>();
        for (Path area : areas(folder)) {
            for (Fault fault : new Area(area).read()) {
                if (faults.put(fault.name(), fault) != null) {
                    throw new Malformed("two faults are named " + fault.name());
                }
            }
        }
        return faults;
    }

    /** A file of faults while it is read. */
    private static final class Area {

        private static final String NAME = "=== ";

        private final Path path;
        private final List<String> lines;
        private int next;

        Area(Path path) throws IOException {
            this.path = path;
            this.lines = Files.readAllLines(path);
        }

        List<Fault> read() throws Malformed {
            List<Fault> faults = new ArrayList<>();
            while (next < lines.size()) {
                String line = lines.get(next++);
                if (line.startsWith(NAME)) {
                    faults.add(fault(line.substring(NAME.length()).strip()));
                } else if (!line.isBlank()) {
                    throw malformed("expected '=== name'");
                }
            }
            return faults;
        }

        private Fault fault(String name) throws Malformed {
            Map<String, String> headers = new HashMap<>();
            List<Edit> edits = new ArrayList<>();
            while (next < lines.size() && !lines.get(next).startsWith(NAME)) {
                String line = lines.get(next++);
                int colon = line.indexOf(": ");
                if (line.startsWith("file: ")) {
                    edits.add(new Edit(
                            line.substring(colon + 2).strip(), false, text("--- old", "--- new"), text("--- new", "--- end")));
                    next++;
                } else if (line.startsWith("new file: ")) {
                    edits.add(new Edit(line.substring(colon + 2).strip(), true, "", text("--- new", "--- end")));
                    next++;
                } else if (colon > 0) {
                    headers.put(line.substring(0, colon), line.substring(colon + 2).strip());
                } else if (!line.isBlank()) {
                    throw malformed("expected 'key: value', 'file: ...' or 'new file: ...'");
                }
            }
            return checked(new Fault(name, headers, edits));
        }

        private Fault checked(Fault fault) throws Malformed {
            boolean byTest = fault.headers().keySet().containsAll(List.of("module", "test"));
            boolean byGoal = fault.headers().keySet().containsAll(List.of("goal", "expect"));
            if (fault.header("breaks").isEmpty() || byTest == byGoal || fault.edits().isEmpty()) {
                throw malformed(fault.name() + " needs 'breaks', a file, and either 'module' and 'test' or 'goal' and 'expect'");
            }
            return fault;
        }

        /** Reads the lines between two marks, and stops at the second. */
        private String text(String from, String to) throws Malformed {
            if (next >= lines.size() || !lines.get(next++).equals(from)) {
                throw malformed("expected '" + from + "'");
            }
            StringBuilder text = new StringBuilder();
            while (next < lines.size() && !lines.get(next).equals(to)) {
                if (lines.get(next).startsWith(NAME)) {
                    throw malformed("expected '" + to + "' before the next fault");
                }
                text.append(lines.get(next++)).append('\n');
            }
            if (next >= lines.size()) {
                throw malformed("expected '" + to + "'");
            }
            return text.toString();
        }

        private Malformed malformed(String problem) {
            return new Malformed(path.getFileName() + ":" + next + ": " + problem);
        }
    }
}
