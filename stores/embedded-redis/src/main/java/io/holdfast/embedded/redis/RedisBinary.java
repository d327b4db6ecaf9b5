package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/** The redis-server executable for one platform, which is a resource on the class path. */
record RedisBinary(String resource) {

    static final String VERSION = "7.0.15";

    private static final String OTHER = "io.holdfast.embedded.redis.executable";

    /**
     * Writes an executable to the file: the requested one, or that of the platform on which this JVM runs. Throws if there is
     * none.
     */
    static void provide(Path file) {
        provide(file, System.getProperty(OTHER, ""));
    }

    static void provide(Path file, String other) {
        if (other.isEmpty()) {
            forThisPlatform().extractTo(file);
        } else {
            link(file, Path.of(other).toAbsolutePath());
        }
    }

    private static void link(Path file, Path other) {
        if (!Files.isExecutable(other)) {
            throw new IllegalStateException(OTHER + "=" + other + " is not an executable file");
        }
        try {
            Files.createSymbolicLink(file, other);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot link to " + other, e);
        }
    }

    /** Returns the executable for the platform on which this JVM runs. Throws if there is none. */
    static RedisBinary forThisPlatform() {
        return forPlatform(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static RedisBinary forPlatform(String osName, String osArch) {
        String os = os(osName);
        String arch = arch(osArch);
        if (os.isEmpty() || arch.isEmpty()) {
            throw new UnsupportedOperationException("Embedded Redis " + VERSION
                    + " exists for linux and macOS on amd64 and arm64, not for " + osName + " on " + osArch
                    + "; start a Redis server by other means and connect to its address");
        }
        return new RedisBinary("redis-server-" + VERSION + "-" + os + "-" + arch);
    }

    private static String os(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("linux") ? "linux" : lower.startsWith("mac") ? "darwin" : "";
    }

    private static String arch(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> "";
        };
    }

    /** Writes the executable to the given file, which only this user may read and run. */
    void extractTo(Path file) {
        // the class loader is asked, and not the class: on the module path, the resource is in a different module
        try (InputStream in = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(
                        "no resource " + resource + "; org.signal:embedded-redis must be on the class path");
            }
            Files.copy(in, file);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
