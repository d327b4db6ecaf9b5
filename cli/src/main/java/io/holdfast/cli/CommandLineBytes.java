package io.holdfast.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The bytes of the command line of this process. Java decodes them by the locale, and replaces what it cannot decode. Two names
 * would then be one.
 */
final class CommandLineBytes {

    private static final Path BYTES = Path.of("/proc/self/cmdline");
    private static final String REPLACEMENT = "\uFFFD";

    private CommandLineBytes() {}

    /**
     * Returns {@code true} if the arguments are what the command line has in UTF-8. A JVM in a UTF-8 locale marks what it cannot
     * decode. Others may not, so the bytes are compared.
     */
    static boolean areThoseOf(String... args) {
        if (StandardCharsets.UTF_8.name().equals(System.getProperty("sun.jnu.encoding"))) {
            return areComplete(args);
        }
        try {
            byte[] given = Files.readAllBytes(BYTES);
            byte[] decoded = Stream.of(args)
                    .map(arg -> arg + "\0")
                    .collect(Collectors.joining())
                    .getBytes(StandardCharsets.UTF_8);
            int begin = given.length - decoded.length;
            return begin >= 0 && Arrays.equals(given, begin, given.length, decoded, 0, decoded.length);
        } catch (IOException e) {
            // a system without such a file
            return areComplete(args);
        }
    }

    private static boolean areComplete(String... args) {
        return Stream.of(args).noneMatch(arg -> arg.contains(REPLACEMENT));
    }
}
