package io.holdfast.internal.slot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The back-off of lingering: the names that may not linger for some time, because other clients requested them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>After another client requested a lingering name, the name does not linger for a pause. Each pause is twice as long as
 *       the previous one, up to {@value #MAX_PAUSE_NANOS} ns.
 *   <li>The name lingers again only under two conditions. The pause is over, and this client has held the name
 *       {@value #LOCAL_IN_A_ROW} times in a row without contention from another client.
 *   <li>After a lingering tenure was reused that often, it has saved more than a pause costs. The next pause is then a short
 *       one again.
 *   <li>A pause is longer than a poll interval. So a client that only polls finds the name free, as if it never lingered.
 * </ol>
 *
 * <p>Only names that other clients requested have an entry, and their number is limited. If an entry is evicted, the next
 * contention creates it again.
 */
final class LingerBackoff {

    static final int LOCAL_IN_A_ROW = 3;

    private static final int POLLS = 2;
    private static final long MAX_PAUSE_NANOS = 60_000_000_000L;
    private static final int MAX_NAMES = 1_000;

    /**
     * A pause in which the name does not linger.
     *
     * @param until the earliest end of the pause, in {@code nanoTime}
     * @param times how often other clients requested the name since the last {@link #reset}
     * @param local how often in a row this client held the name without contention
     */
    private record Pause(long until, int times, int local) {

        Pause withLocal(int inARow) {
            return new Pause(until, times, inARow);
        }
    }

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
    private final long firstPause;
    private final Predicate<String> waitsFairly;

    /**
     * Creates a back-off without any pause.
     *
     * @param poll the poll interval of clients, in nanoseconds
     * @param waitsFairly whether a fair slot of this client waits for a name; the store does not notify a client of its own
     *     waiters
     */
    LingerBackoff(long poll, Predicate<String> waitsFairly) {
        this.firstPause = POLLS * poll;
        this.waitsFairly = waitsFairly;
    }

    /** Returns {@code true} if another slot of this client waits for the name, so that it must not linger. */
    boolean isAwaited(String name) {
        return waitsFairly.test(name);
    }

    boolean mayLinger(String name, long now) {
        Pause pause = pauses.get(name);
        return pause == null || (pause.local >= LOCAL_IN_A_ROW && now - pause.until >= 0);
    }

    /** Records that another client waits for the name, as a message or a reply has reported. */
    void contended(String name, long now) {
        if (pauses.size() >= MAX_NAMES && !pauses.containsKey(name)) {
            evictSome(now);
        }
        pauses.compute(name, (key, before) -> pauseAfter(before, now));
    }

    /** Returns the next pause. Contention during a pause does not start another one. */
    private Pause pauseAfter(@Nullable Pause before, long now) {
        if (before != null && now - before.until < 0) {
            return before.withLocal(0);
        }
        int times = before == null ? 0 : before.times + 1;
        return new Pause(now + HoldSpec.doubled(firstPause, times, MAX_PAUSE_NANOS), times, 0);
    }

    private void evictSome(long now) {
        pauses.values().removeIf(pause -> now - pause.until >= 0);
        if (pauses.size() >= MAX_NAMES) {
            pauses.clear();
        }
    }

    /** Records that this client held the name without contention. */
    void usedLocally(String name) {
        if (!pauses.isEmpty()) {
            pauses.computeIfPresent(name, (key, pause) -> pause.withLocal(pause.local + 1));
        }
    }

    /** Records that another client held or requested the name. */
    void usedElsewhere(String name) {
        if (!pauses.isEmpty()) {
            pauses.computeIfPresent(name, (key, pause) -> pause.withLocal(0));
        }
    }

    /** Drops the pause of a name. Its lingering tenure was reused so often that this saved more than one contention costs. */
    void reset(String name) {
        pauses.remove(name);
    }
}
