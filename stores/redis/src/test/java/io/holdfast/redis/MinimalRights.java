package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rights that the documentation tells an administrator to give. */
final class MinimalRights {

    private static final Path PAGE = Path.of("..", "..", "docs", "tuning.md");
    private static final Pattern COMMANDS = Pattern.compile("(?s)and the commands (.*?)\\. With");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    private MinimalRights() {}

    /** For all lock names, with these commands and channels beside those of the page. */
    static String[] with(String... more) {
        return Stream.concat(
                        Stream.of("~*", "resetchannels", "&hf:in:*"),
                        Stream.concat(commands().stream(), Stream.of(more))
                                .map(right -> right.startsWith("&") ? right : "+" + right))
                .toArray(String[]::new);
    }

    private static List<String> commands() {
        try {
            Matcher found = COMMANDS.matcher(Files.readString(PAGE));
            if (!found.find()) {
                throw new AssertionError("no list of commands in " + PAGE);
            }
            return QUOTED.matcher(found.group(1))
                    .results()
                    .map(one -> one.group(1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
