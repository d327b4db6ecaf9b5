package io.holdfast.memory;

import io.holdfast.LatchCount;
import io.holdfast.spi.LatchReport;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The state of one latch at the server: its last setting, and the fate of earlier ones. All times are microseconds of the
 * server's clock. Guarded by the server's mutex.
 */
final class LatchCell {

    /** The time for which an open latch without a life is kept. */
    private static final long OPEN_LIFE = TimeUnit.DAYS.toMicros(7);

    /** The time for which the fate of a setting is kept after its end. */
    private static final long AFTERLIFE = TimeUnit.MINUTES.toMicros(1);

    private static final long NEVER = Long.MAX_VALUE;

    final Applied applied = new Applied();
    final Set<String> listeners = new HashSet<>();

    /** The settings before the last one that ended before they opened. */
    private final TreeSet<Long> unopened = new TreeSet<>();

    private long forgotten;
    private long number;
    private int count;
    private long ends;

    /** Forgets the settings if the last one ended long enough ago. */
    void expire(long now) {
        if (now - ends > AFTERLIFE) {
            unopened.clear();
            forgotten = 0;
            number = 0;
            count = 0;
        }
    }

    boolean isForgotten(long now) {
        expire(now);
        return number == 0 && listeners.isEmpty() && applied.isForgotten(now);
    }

    boolean isSet(long now) {
        return number != 0 && now < ends;
    }

    /** Returns {@code true} if no waiter has to wait, because the latch is open or not set. */
    boolean isOver(long now) {
        return count == 0 || !isSet(now);
    }

    /** Returns the count; empty if the latch is not set. */
    Optional<LatchCount> count(String name, long now) {
        return isSet(now) ? Optional.of(new LatchCount(name, count)) : Optional.empty();
    }

    void set(int amount, Optional<Duration> life, long now) {
        if (count > 0) {
            unopened.add(number);
        }
        if (unopened.size() > LatchReport.MOST_UNOPENED) {
            forgotten = unopened.pollFirst();
        }
        boolean first = number == 0;
        number = Math.max(number + 1, now);
        forgotten = first ? number - 1 : forgotten;
        count = amount;
        ends = life.map(most -> now + MemoryServer.micros(most)).orElse(NEVER);
    }

    void countDown(int by, long now) {
        count = Math.max(0, count - by);
        if (count == 0 && ends == NEVER) {
            ends = now + OPEN_LIFE;
        }
    }

    void end(long now) {
        ends = now;
    }

    LatchReport report(long now) {
        if (isSet(now)) {
            return new LatchReport(OptionalLong.of(number), count, number, forgotten, unopened);
        }
        Set<Long> ended = new HashSet<>(unopened);
        if (count > 0) {
            ended.add(number);
        }
        return new LatchReport(OptionalLong.empty(), 0, number, forgotten, ended);
    }
}
