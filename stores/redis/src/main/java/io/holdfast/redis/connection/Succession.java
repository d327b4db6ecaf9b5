package io.holdfast.redis.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.holdfast.spi.Platform;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The masters of a group, one after the other, as its Sentinels report them. Each failover has an epoch, which is higher than that of
 * the one before. A Sentinel that is cut off from the others still names the former master, with its epoch.
 *
 * <ol>
 *   <li>Of several answers, the one of the highest epoch counts.
 *   <li>An answer counts no more if one of a higher epoch has counted.
 *   <li>An answer that names a master whose replacement was reported counts only if its epoch is higher than the last one that counted.
 *   <li>If a majority of the Sentinels has answered, and none of the answers counts by these rules, then the highest one counts
 *       nevertheless when the last change is {@value #GOSSIP_SECONDS} s ago, because Sentinels tell each other every two seconds. Either
 *       the Sentinel that led the last failover has died before it told the others, or the Sentinels were set up again.
 * </ol>
 */
final class Succession {

    private static final int GOSSIP_SECONDS = 3;
    private static final long UNKNOWN = -1;
    private static final Comparator<Known> BY_EPOCH = Comparator.comparingLong(Known::epoch);

    private final Platform platform;
    private final int sentinels;
    private final ReentrantLock mutex = new ReentrantLock();

    @GuardedBy("mutex")
    private long epoch = UNKNOWN;

    /** The masters whose replacement was reported since the last change of the epoch. */
    @GuardedBy("mutex")
    private final Set<String> replaced = new HashSet<>();

    /** The time of the last change. */
    @GuardedBy("mutex")
    private long changed;

    /** A master as one Sentinel knows it. */
    record Known(String host, int port, long epoch) {

        String place() {
            return RedisAddress.place(host, port);
        }
    }

    /**
     * Creates the succession of a group.
     *
     * @param sentinels the number of its Sentinels
     */
    Succession(Platform platform, int sentinels) {
        this.platform = platform;
        this.sentinels = sentinels;
    }

    /**
     * Returns the master that the answers name; empty if none of them counts.
     *
     * @param answers at least one
     */
    Optional<Known> master(Collection<Known> answers) {
        mutex.lock();
        try {
            Set<String> left = Set.copyOf(replaced);
            Known last = Collections.max(answers, BY_EPOCH.thenComparing(known -> !left.contains(known.place())));
            boolean isLeft = left.contains(last.place());
            boolean isPresent = last.epoch == epoch && !isLeft;
            // a report may come before the first answer
            boolean isLater = last.epoch > epoch && !(isLeft && epoch == UNKNOWN);
            boolean isSettled = platform.nanoTime() - changed >= TimeUnit.SECONDS.toNanos(GOSSIP_SECONDS);
            if (isLater || (!isPresent && isSettled && answers.size() > sentinels / 2)) {
                epoch = last.epoch;
                replaced.clear();
                changed = platform.nanoTime();
                isPresent = true;
            }
            return isPresent ? Optional.of(last) : Optional.empty();
        } finally {
            mutex.unlock();
        }
    }

    /** Records a report that a server has replaced another one. */
    void replaced(String before, String now) {
        mutex.lock();
        try {
            replaced.add(before);
            replaced.remove(now);
            changed = platform.nanoTime();
        } finally {
            mutex.unlock();
        }
    }

    /** Returns {@code true} if a server was reported as replaced, and no later answer has counted. */
    boolean isReplaced(String server) {
        mutex.lock();
        try {
            return replaced.contains(server);
        } finally {
            mutex.unlock();
        }
    }
}
