package io.holdfast.testkit.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a JVM with the class path of this one. Its options cost the least processor time for a few seconds of work. */
public final class JavaCommand {

    private static final List<String> OPTIONS = List.of(
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:+UseTransparentHugePages");

    private JavaCommand() {}

    /** Returns the command that runs the class. */
    public static List<String> of(Class<?> main, String... arguments) {
        return of(List.of(), main, arguments);
    }

    /** Returns the command that runs the class in a JVM with further options. */
    public static List<String> of(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
