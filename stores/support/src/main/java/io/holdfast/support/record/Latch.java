package io.holdfast.support.record;

import io.holdfast.spi.LatchReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A latch: its last setting, the outcomes of earlier settings, and the clients that listen. All times are microseconds of the
 * store's clock.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The numbers of settings rise, even after all data was lost, unless the clock has stepped back.
 *   <li>An earlier setting with a number above {@code forgotten} has opened, unless its number is in {@code unopened}. So the
 *       space does not grow with the number of openings.
 * </ol>
 *
 * @param number the number of the last setting
 * @param count the count of the last setting; after the end of the setting, the count at that time
 * @param ends the time at which the last setting ends or has ended; {@link LockRecord#NEVER} for a closed latch without a life
 * @param forgotten the number up to which the outcomes of settings are unknown
 * @param unopened the numbers of earlier settings that ended before they opened, in rising order
 * @param listeners the clients to notify once when the latch opens, is set again, or is deleted
 */
public record Latch(long number, int count, long ends, long forgotten, List<Long> unopened, List<Listener> listeners) {

    /** The time for which the store keeps an open latch without a life. */
    private static final long OPEN_LIFE = 7 * 86_400_000_000L;

    /** The time for which the store remembers the outcome of a setting after its end. */
    private static final long OUTCOME_LIFE = 60_000_000;

    /**
     * A client that listens.
     *
     * @param party the client
     * @param since the time of its last request; the client listens for a minute after it
     */
    public record Listener(Party party, long since) {

        private static final long LIFE = 60_000_000;

        boolean isExpired(long now) {
            return now - since > LIFE;
        }

        boolean isOf(String clientId) {
            return party.clientId().equals(clientId);
        }
    }

    /** Copies the lists. */
    public Latch {
        unopened = List.copyOf(unopened);
        listeners = List.copyOf(listeners);
    }

    /** Returns a latch that was never set before, as far as the store knows. */
    static Latch first(int count, long ends, long now) {
        long number = Math.max(1, now);
        return new Latch(number, count, ends, number - 1, List.of(), List.of());
    }

    Latch reset(int amount, long end, long now) {
        List<Long> ended = endedUnopened();
        boolean tooMany = ended.size() > LatchReport.MOST_UNOPENED;
        return new Latch(
                Math.max(number + 1, now),
                amount,
                end,
                tooMany ? ended.get(0) : forgotten,
                tooMany ? ended.subList(1, ended.size()) : ended,
                listeners);
    }

    private List<Long> endedUnopened() {
        List<Long> ended = new ArrayList<>(unopened);
        if (count > 0) {
            ended.add(number);
        }
        return ended;
    }

    Latch countDown(int by, long now) {
        int left = Math.max(0, count - by);
        long end = left == 0 && ends == LockRecord.NEVER ? now + OPEN_LIFE : ends;
        return new Latch(number, left, end, forgotten, unopened, listeners);
    }

    Latch endNow(long now) {
        return new Latch(number, count, now, forgotten, unopened, listeners);
    }

    Latch with(Listener listener) {
        List<Listener> more = new ArrayList<>(listeners);
        more.add(listener);
        return withListeners(more);
    }

    Latch without(String clientId) {
        return withListeners(
                listeners.stream().filter(listener -> !listener.isOf(clientId)).toList());
    }

    Latch withListeners(List<Listener> some) {
        return new Latch(number, count, ends, forgotten, unopened, some);
    }

    Latch expire(long now) {
        return listeners.stream().noneMatch(listener -> listener.isExpired(now))
                ? this
                : withListeners(listeners.stream()
                        .filter(listener -> !listener.isExpired(now))
                        .toList());
    }

    /** Returns {@code true} if the outcome of the last setting need not be remembered any longer. */
    boolean isForgotten(long now) {
        return now - ends > OUTCOME_LIFE;
    }

    /** Returns {@code true} if the last setting has not ended, whether it is open or closed. */
    public boolean isSet(long now) {
        return now < ends;
    }

    /** Returns {@code true} if no waiter has to wait, because the latch is open or is not set. */
    boolean isOver(long now) {
        return count == 0 || !isSet(now);
    }

    LatchReport report(long now) {
        return isSet(now)
                ? new LatchReport(OptionalLong.of(number), count, number, forgotten, Set.copyOf(unopened))
                : new LatchReport(OptionalLong.empty(), 0, number, forgotten, new HashSet<>(endedUnopened()));
    }
}
