package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The file that takes all output of server and guard, read from where the latest start began. */
final class ServerLog {

    private static final int TAIL_LINES = 20;

    /** A server, or a Sentinel, says this once its port is bound, at every log level, and before it loads its data. */
    private static final Pattern INITIALIZED = Pattern.compile("[#*] (Server initialized|Sentinel ID is)");

    /**
     * Faults that another attempt may not meet. The second one: a process forked by another thread of this JVM while
     * the executable was being written keeps it open for writing until that process has closed its descriptors.
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

    /** What follows belongs to a new start. */
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

    /** The last lines since the mark. */
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
