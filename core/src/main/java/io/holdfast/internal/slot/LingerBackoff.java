package io.holdfast.internal.slot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The back-off of lingering: the names that this client does not let linger for some time, because other clients wanted them.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>After other clients wanted a lingering name, the name does not linger for a pause. Each pause is twice as long as the
 *       previous one, up to {@value #LONGEST_NANOS} ns.
 *   <li>The name lingers again only under two conditions. The pause is over, and the name was last held
 *       {@value #LOCAL_IN_A_ROW} times in a row without another client in the way.
 *   <li>A tenure that was acquired again that often while it lingered has paid for itself. The next pause is then a short one
 *       again.
 *   <li>A pause is longer than a poll interval. So a client that only polls finds the name free, as if it never lingered.
 * </ol>
 *
 * <p>Only names that other clients wanted are remembered, and not many of them. Forgetting one costs no more than finding out
 * once more.
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
     * @param times how often other clients wanted the name since it last paid for itself
     * @param local how often in a row the name was held without another client in the way
     */
    private record Pause(long until, int times, int local) {

        Pause withLocal(int inARow) {
            return new Pause(until, times, inARow);
        }
    }

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
    private final long firstPause;

    /**
     * Creates a back-off without any pause.
     *
     * @param poll the interval in which clients ask that are not notified, in nanoseconds
     */
    LingerBackoff(long poll) {
        this.firstPause = POLLS * poll;
    }

    boolean mayLinger(String name, long now) {
        Pause pause = pauses.get(name);
        return pause == null || (pause.local >= LOCAL_IN_A_ROW && now - pause.until >= 0);
    }

    /** Records that other clients want the name, as a message or a reply has said. */
    void contended(String name, long now) {
        if (pauses.size() >= MAX_NAMES && !pauses.containsKey(name)) {
            evictSome(now);
        }
        pauses.compute(name, (key, before) -> pauseAfter(before, now));
    }

    /** Returns the pause that follows. Everything that is heard of during a pause belongs to that pause. */
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

    /** Records that the name was held without another client in the way. */
    void usedLocally(String name) {
        if (!pauses.isEmpty()) {
            pauses.computeIfPresent(name, (key, pause) -> pause.withLocal(pause.local + 1));
        }
    }

    /** Records that another client held or wanted the name. */
    void usedElsewhere(String name) {
        if (!pauses.isEmpty()) {
            pauses.computeIfPresent(name, (key, pause) -> pause.withLocal(0));
        }
    }

    /**
     * Forgets the pause of a name. It was acquired again so often while it lingered that being wanted costs less than was
     * saved.
     */
    void reset(String name) {
        pauses.remove(name);
    }
}
