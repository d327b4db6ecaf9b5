package io.holdfast.interop;

import io.holdfast.testkit.cluster.JavaCommand;
import java.io.IOException;
import java.util.stream.Stream;

/** Starts processes of tests. */
final class Children {

    private Children() {}

    /** One that runs {@code main}, and ends with its input. */
    static Process start(Class<?> main, Kind kind, String... args) throws IOException {
        String[] arguments =
                Stream.concat(Stream.of(kind.name()), Stream.of(args)).toArray(String[]::new);
        return new ProcessBuilder(JavaCommand.of(main, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
