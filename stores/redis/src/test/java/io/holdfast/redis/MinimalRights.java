package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rights that the documentation tells an administrator to give, by a line to paste. */
final class MinimalRights {

    private static final Path PAGE = Path.of("..", "..", "docs", "operations.md");
    private static final Pattern LINE = Pattern.compile("(?m)^ACL SETUSER \\S+ reset on >\\S+ (.+)$");

    private MinimalRights() {}

    /** For all lock names, with these commands and channels beside those of the line. */
    static String[] with(String... more) {
        return Stream.concat(
                        Stream.of("~*"),
                        Stream.concat(
                                line().stream().filter(right -> !right.startsWith("~")),
                                Stream.of(more).map(right -> right.startsWith("&") ? right : "+" + right)))
                .toArray(String[]::new);
    }

    /** The line as it is, for names that begin with "orders/". */
    static List<String> line() {
        try {
            Matcher found = LINE.matcher(Files.readString(PAGE));
            if (!found.find()) {
                throw new AssertionError("no line of rights in " + PAGE);
            }
            return List.of(found.group(1).split(" "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
