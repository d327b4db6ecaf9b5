package io.holdfast.internal.engine;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.internal.slot.Tenure;
import io.holdfast.spi.Signal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The warnings about lost and restored connections to servers.
 *
 * <p>A connection is reported as restored once all holds are verified, or after the command timeout.
 */
final class Outages {

    private static final long CHECK_NANOS = 20_000_000;
    private static final int NAMES = 5;

    private record Outage(long since, long lostBefore) {}

    private final Engine engine;
    private final Map<String, Outage> open = new ConcurrentHashMap<>();

    Outages(Engine engine) {
        this.engine = engine;
    }

    void down(Signal.Down signal) {
        Outage outage = new Outage(engine.platform.nanoTime(), engine.counters.lost.sum());
        if (!engine.tasks.isClosed() && open.putIfAbsent(signal.server(), outage) == null) {
            List<Tenure> held = engine.heldTenures();
            engine.events.warn("the connection to " + signal.server() + " was lost; this client holds " + held.size()
                    + " locks and permits" + names() + ", which stay valid until their deadlines; it reconnects");
        }
    }

    /** Reports that the connection is restored. The renewals that verify the holds are already under way. */
    void up(Signal.Up signal) {
        Outage outage = open.remove(signal.server());
        if (outage != null) {
            long now = engine.platform.nanoTime();
            verify(signal, outage, engine.heldTenures(), now, now);
        }
    }

    private void verify(Signal.Up signal, Outage outage, List<Tenure> held, long restoredAt, long now) {
        long verified =
                held.stream().filter(tenure -> isVerified(tenure, outage)).count();
        long unverified = held.stream()
                .filter(tenure -> tenure.held() && !isVerified(tenure, outage))
                .count();
        if (unverified > 0 && now - restoredAt < engine.config.command() && !engine.tasks.isClosed()) {
            engine.tasks.run(CHECK_NANOS, () -> verify(signal, outage, held, restoredAt, engine.platform.nanoTime()));
            return;
        }
        engine.events.warn(String.format(
                Locale.ROOT,
                "%s is connected again%s after %.1f s; locks and permits verified: %d, lost: %d%s",
                signal.server(),
                signal.address().isEmpty() ? "" : " at " + signal.address(),
                (restoredAt - outage.since) / 1e9,
                verified,
                engine.counters.lost.sum() - outage.lostBefore,
                unverified == 0 ? "" : ", not verified yet: " + unverified));
    }

    /**
     * Returns {@code true} if the hold was confirmed by a request that was sent after the connection was lost. Such a request
     * may be sent before this client is notified that the connection is restored.
     */
    private static boolean isVerified(Tenure tenure, Outage outage) {
        return tenure.held() && tenure.validity.sent() - outage.since >= 0;
    }

    private String names() {
        String names = engine.slots
                .all()
                .filter(slot -> slot.owner() != null)
                .map(slot -> slot.name)
                .distinct()
                .limit(NAMES)
                .map(name -> quoted(name))
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : " (" + names + " first)";
    }
}
