package io.holdfast.cli.exec;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The class path of this JVM as jars, and an archive of the classes that {@code holdfast exec} loads, as the launcher has one.
 * With it, a start takes half of the processor time. The JVM makes archives of classes in jars only.
 */
final class FastStart {

    /** The JVM says nothing about an archive that it cannot use. */
    private static final String QUIET = "-Xlog:disable";

    private static final FastStart MADE = new FastStart();

    private final Path folder;
    private final List<String> classPath;

    private FastStart() {
        try {
            folder = ofThisJvm(Files.createTempDirectory("holdfast-start"));
            classPath = List.of("-cp", jars());
            rehearse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The options of a JVM that starts fast. */
    static List<String> options() {
        List<String> options = new ArrayList<>(MADE.classPath);
        options.addAll(List.of(QUIET, "-XX:SharedArchiveFile=" + MADE.archive()));
        return options;
    }

    private Path archive() {
        return folder.resolve("classes.jsa");
    }

    private void rehearse() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Child.java());
        command.addAll(classPath);
        command.addAll(List.of(QUIET, "-XX:ArchiveClassesAtExit=" + archive()));
        command.addAll(List.of(Child.MAIN, "rehearse"));
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError("the rehearsal failed: " + String.join(" ", command));
        }
        ofThisJvm(archive());
    }

    private String jars() throws IOException {
        List<String> paths = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(":", -1)) {
            paths.add(
                    Files.isDirectory(Path.of(path))
                            ? jar(Path.of(path), paths.size()).toString()
                            : path);
        }
        return String.join(":", paths);
    }

    private Path jar(Path classes, int number) throws IOException {
        Path jar = ofThisJvm(folder.resolve(number + ".jar"));
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> content = Files.walk(classes)) {
            for (Path path : content.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(path).toString()));
                Files.copy(path, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private static Path ofThisJvm(Path file) {
        file.toFile().deleteOnExit();
        return file;
    }
}
