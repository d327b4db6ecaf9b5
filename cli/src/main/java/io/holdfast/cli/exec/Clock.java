package io.holdfast.cli.exec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The clock that this process and its guard share: the time since boot if the system provides it, and otherwise the time of
 * day.
 */
final class Clock {

    private static final Path UPTIME = Path.of("/proc/uptime");

    private Clock() {}

    static long millis() {
        if (!Files.isReadable(UPTIME)) {
            return System.currentTimeMillis();
        }
        try {
            String seconds = Files.readString(UPTIME).split(" ", 2)[0];
            return Long.parseLong(seconds.replace(".", "")) * 10;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + UPTIME, e);
        }
    }
}
