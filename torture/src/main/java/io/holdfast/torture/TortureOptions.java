package io.holdfast.torture;

import io.holdfast.spi.StoreUri;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The options of a run.
 *
 * @param store a server to start, or the URI of one that runs
 * @param processes the number of worker processes
 * @param threads the number of threads of each of them
 * @param time the time for which faults are injected
 * @param json the file for the result
 */
record TortureOptions(
        String store, Subject subject, int processes, int threads, Duration time, long seed, Optional<Path> json) {

    TortureOptions {
        boolean redis = EmbeddedStore.named(store)
                .map(embedded -> embedded == EmbeddedStore.REDIS)
                .orElseGet(() -> store.startsWith("redis"));
        require(redis || subject != Subject.SETNX, "--subject setnx: a lock of Redis only");
        require(processes >= 1 && processes <= 64, "--processes " + processes + ": 1 to 64");
        require(threads >= 1 && threads <= 256, "--threads " + threads + ": 1 to 256");
        // the history of all holds is kept in memory
        require(time.toSeconds() >= 1 && time.toSeconds() <= 3_600, "--seconds " + time.toSeconds() + ": 1 to 3600");
        json.ifPresent(file -> require(isWritable(file), "--json " + file + ": cannot be written"));
    }

    private static boolean isWritable(Path file) {
        Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
        return Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : Files.isWritable(folder) && Files.isDirectory(folder);
    }

    private static void require(boolean right, String text) {
        if (!right) {
            throw new IllegalArgumentException(text);
        }
    }

    /** Returns the store without the secrets of its URI. */
    String shownStore() {
        return StoreUri.masked(store);
    }

    /** Returns the command that injects the same faults. */
    String command() {
        return String.join(
                " ",
                List.of(
                        "./holdfast torture --store",
                        shownStore(),
                        "--subject " + subject,
                        "--processes " + processes,
                        "--threads " + threads,
                        "--seconds " + time.toSeconds(),
                        "--seed " + seed));
    }
}
