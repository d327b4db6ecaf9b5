package io.holdfast.internal.slot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names that this client keeps no more for a time, because others wanted them.
 *
 * <p>After others wanted a kept name nothing is kept of it for a pause, which is twice as long each time, up to
 * {@value #LONGEST_NANOS} ns; nor after that until the name was had {@value #LOCAL_IN_A_ROW} times in a row with nobody in
 * the way. A tenure that was taken again that often has paid for itself: the next pause is a short one again.
 *
 * <p>A pause is longer than a poll interval, so that one who only polls finds the name as free as if it were never kept.
 *
 * <p>Only names that were wanted are remembered, and not many: to forget one costs no more than to find out once more.
 */
final class LingerBackoff {

    static final int LOCAL_IN_A_ROW = 3;

    private static final int POLLS = 2;
    private static final long LONGEST_NANOS = 60_000_000_000L;
    private static final int NAMES_AT_MOST = 1_000;

    /**
     * Nothing is kept.
     *
     * @param until for how long at least, in {@code nanoTime}
     * @param times how often the name was wanted without having paid for itself
     * @param local how often in a row it was had with nobody in the way
     */
    private record Pause(long until, int times, int local) {

        Pause had(int inARow) {
            return new Pause(until, times, inARow);
        }
    }

    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
    private final long first;

    /** @param poll how often those ask who are not told, in nanoseconds */
    LingerBackoff(long poll) {
        this.first = POLLS * poll;
    }

    boolean mayKeep(String name, long now) {
        Pause pause = pauses.get(name);
        return pause == null || (pause.local >= LOCAL_IN_A_ROW && now - pause.until >= 0);
    }

    /** Others want it, by a message, or in a reply. */
    void isWanted(String name, long now) {
        if (pauses.size() >= NAMES_AT_MOST && !pauses.containsKey(name)) {
            forgetSome(now);
        }
        pauses.compute(name, (key, before) -> pauseAfter(before, now));
    }

    /** One pause for all that is heard in it. */
    private Pause pauseAfter(@Nullable Pause before, long now) {
        if (before != null && now - before.until < 0) {
            return before.had(0);
        }
        int times = before == null ? 0 : before.times + 1;
        return new Pause(now + HoldSpec.doubled(first, times, LONGEST_NANOS), times, 0);
    }

    private void forgetSome(long now) {
        pauses.values().removeIf(pause -> now - pause.until >= 0);
        if (pauses.size() >= NAMES_AT_MOST) {
            pauses.clear();
        }
    }

    /** It was had, and nobody was in the way. */
    void isLocal(String name) {
        if (!pauses.isEmpty()) {
            pauses.computeIfPresent(name, (key, pause) -> pause.had(pause.local + 1));
        }
    }

    /** Somebody else had it. */
    void isShared(String name) {
        if (!pauses.isEmpty()) {
            pauses.computeIfPresent(name, (key, pause) -> pause.had(0));
        }
    }

    /** It was taken again so often that being wanted costs less than was saved. */
    void paysOff(String name) {
        pauses.remove(name);
    }
}
