package io.holdfast.support;

import static java.util.stream.Collectors.toMap;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The identity of a client, which it writes to the store as a text for other clients.
 *
 * <p>It has one line each for name, host and process. It is written with the first request for a lock, and every 10 s with a
 * further request. It may expire when there are no requests.
 */
public final class ClientRecord {

    private static final long LIFE_MILLIS = 30_000;
    private static final long REFRESH_NANOS = 10_000_000_000L;

    private final StoreConfig config;
    private final AtomicLong due;
    private volatile boolean written;

    /** Creates the record of a client, which is not written yet. */
    public ClientRecord(StoreConfig config) {
        this.config = config;
        due = new AtomicLong(config.platform().nanoTime());
    }

    /** Returns {@code true} if the record has to be written now. Only one caller gets this result, and it writes the record. */
    public boolean takeTurn() {
        long now = config.platform().nanoTime();
        long planned = due.get();
        boolean isDue = now - planned >= 0 && due.compareAndSet(planned, now + REFRESH_NANOS);
        if (isDue) {
            written = true;
        }
        return isDue;
    }

    /** Returns {@code true} if the record has ever been written. */
    public boolean isWritten() {
        return written;
    }

    /** Returns the time for which the record has to last, for a request with the given lease. */
    public static Duration life(Duration lease) {
        return Duration.ofMillis(Math.max(LIFE_MILLIS, lease.toMillis()));
    }

    /** Returns the text to write. */
    public String text() {
        LockReport.Client client = config.client();
        return client.name().orElse("") + "\n" + client.host().orElse("") + "\n"
                + client.pid().orElse(0);
    }

    /** Returns the client with the given id, from the text that it has written. Further lines are ignored. */
    public static LockReport.Client read(String id, String text) {
        String[] lines = text.split("\n", 4);
        long pid = Long.parseLong(lines[2]);
        return new LockReport.Client(
                id, known(lines[0]), known(lines[1]), pid == 0 ? OptionalLong.empty() : OptionalLong.of(pid));
    }

    /**
     * Returns the clients with the given ids. One that has written no text is left out.
     *
     * @param text reads the text that a client has written
     */
    public static CompletionStage<Map<String, LockReport.Client>> readAll(
            Set<String> ids, Function<String, CompletionStage<Optional<String>>> text) {
        return Stages.all(ids.stream()
                        .map(id -> text.apply(id).thenApply(found -> found.map(written -> read(id, written)))))
                .thenApply(clients -> clients.stream()
                        .flatMap(Optional::stream)
                        .collect(toMap(LockReport.Client::id, client -> client)));
    }

    private static Optional<String> known(String text) {
        return Optional.of(text).filter(some -> !some.isEmpty());
    }
}
