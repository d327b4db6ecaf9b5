package io.holdfast.redis;

import io.holdfast.DistributedLock;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.check.HistoryChecker;

/** One hold of a lock by a thread, as the thread saw it. All times are {@code nanoTime}. */
final class Turn {

    static final long NEVER = Long.MAX_VALUE;

    /** A hold that was lost before its turn began. Its thread unlocks it, and so may be the one that releases the tenure. */
    record Unused(String client, String name, long unlocking, long unlocked) {

        boolean isOf(Turn turn) {
            return client.equals(turn.client) && name.equals(turn.name);
        }

        boolean unlocksDuring(long from, long to) {
            return unlocking <= from && to <= unlocked;
        }
    }

    final String client;
    final String name;
    final String owner = Thread.currentThread().getName();
    final long token;
    final long begun = System.nanoTime();
    private volatile long validUntil = begun;
    private volatile long unlocking = NEVER;
    private volatile long unlocked = NEVER;
    private volatile boolean refused;
    private volatile long told = NEVER;

    /** Of a lock that the current thread has just got. */
    Turn(String client, DistributedLock lock) {
        this.client = client;
        this.name = lock.name();
        this.token = lock.fencingToken();
        look(lock);
    }

    /** Notes until when it is valid. */
    void look(DistributedLock lock) {
        validUntil =
                Math.max(validUntil, System.nanoTime() + lock.remainingLease().toNanos());
    }

    /** Unlocks, and notes when and how. */
    void end(DistributedLock lock) {
        unlocking = System.nanoTime();
        try {
            lock.unlock();
        } catch (LeaseLostException e) {
            refused = true;
            throw e;
        } finally {
            unlocked = System.nanoTime();
        }
    }

    /** Notes that the listener was told of its loss. */
    void toldAt(long at) {
        told = Math.min(told, at);
    }

    boolean wasTold() {
        return told != NEVER;
    }

    /** Whether its unlock said that it was lost. */
    boolean wasRefused() {
        return refused;
    }

    /** From then on nobody relied on it. */
    long end() {
        return Math.min(validUntil, Math.min(unlocking, told));
    }

    /** Whether its unlock began after that. */
    boolean unlocksAfter(long at) {
        return unlocking > at;
    }

    /** Whether all of that time was within its unlock. */
    boolean unlocksDuring(long from, long to) {
        return unlocking <= from && to <= unlocked;
    }

    /** Tells the checker. */
    void report(HistoryChecker history) {
        HistoryChecker.Hold hold = history.granted(name, owner, token, begun);
        hold.validUntil(validUntil);
        hold.released(unlocking);
        hold.lost(told);
    }

    /** All that the checker wants to know, for {@link #report(String, String, HistoryChecker)}. */
    String line() {
        return name + ' ' + owner + ' ' + token + ' ' + begun + ' ' + validUntil + ' ' + unlocking + ' ' + told;
    }

    /** Tells the checker of a turn in another process of this machine, where {@code nanoTime} is the same. */
    static void report(String process, String line, HistoryChecker history) {
        String[] words = line.split(" ", -1);
        HistoryChecker.Hold hold =
                history.granted(words[0], process + "/" + words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
        hold.validUntil(Long.parseLong(words[4]));
        hold.released(Long.parseLong(words[5]));
        hold.lost(Long.parseLong(words[6]));
    }

    @Override
    public String toString() {
        return name + " by " + owner + " with " + token + ", from " + begun + " to " + end()
                + (wasTold() ? ", told" : ", not told");
    }
}
