package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The file with all output of the server and its guard, which is read from the point where the latest start began. */
final class ServerLog {

    private static final int TAIL_LINES = 20;

    /**
     * The line that a server or a Sentinel logs after it has bound its port, at every log level, and before it loads its data.
     */
    private static final Pattern INITIALIZED = Pattern.compile("[#*] (Server initialized|Sentinel ID is)");

    /**
     * The faults that another attempt may avoid. The second one is a race with another thread of this JVM. A process that this
     * thread forks while the executable is being written keeps it open for writing, until that process has closed its
     * descriptors.
     */
    private static final Pattern PASSING = Pattern.compile("Address (already )?in use|Text file busy");

    private final Path file;
    private volatile long start;

    ServerLog(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** Marks the beginning of a new start in the log. */
    void mark() {
        try {
            start = Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the log " + file, e);
        }
    }

    boolean saysInitialized() {
        return INITIALIZED.matcher(text()).find();
    }

    boolean saysPassingFault() {
        return PASSING.matcher(text()).find();
    }

    /** Returns the last lines since the mark. */
    String tail() {
        List<String> lines = text().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }

    private String text() {
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(start);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the log " + file, e);
        }
    }
}
