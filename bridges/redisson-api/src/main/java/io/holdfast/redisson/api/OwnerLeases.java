package io.holdfast.redisson.api;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases that owners acquired by asynchronous methods. Redisson identifies such an owner by a number, and Holdfast by a
 * {@link Lease}.
 *
 * <p>An owner leaves this map with its last level. If its hold is lost, the loss is remembered until the owner unlocks or locks
 * again, for the latest {@value #MOST_LOST} losses.
 */
final class OwnerLeases {

    static final int MOST_LOST = 1000;

    /** The lock that a name is used as. */
    enum Side {
        LOCK,
        READ,
        WRITE
    }

    record Owner(String name, Side side, long number) {}

    private record Level(Lease lease, boolean fixed) {}

    private static final class Entry {
        final Deque<Level> levels = new ArrayDeque<>();

        @Nullable
        LeaseLostException lost;

        boolean has(Lease lease) {
            return levels.stream().anyMatch(level -> level.lease == lease);
        }

        /** Releases all levels of an entry that nobody can reach any longer. A lease that was lost is released already. */
        void abandon() {
            levels.stream().map(Level::lease).distinct().forEach(OwnerLeases::closeLater);
        }
    }

    /** A level that has been ended. */
    record Ended(Lease lease, boolean last, Optional<LeaseLostException> lost) {}

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<Owner, Entry> held = new HashMap<>();
    private final Map<Owner, Entry> lost = new LinkedHashMap<>();

    private <T> T guarded(Supplier<T> action) {
        mutex.lock();
        try {
            return action.get();
        } finally {
            mutex.unlock();
        }
    }

    /** Records a grant as one more level of the owner. A loss of an earlier hold is forgotten. */
    void add(Owner key, Lease lease, boolean fixed) {
        Optional<Entry> old = guarded(() -> {
            held.computeIfAbsent(key, k -> new Entry()).levels.addLast(new Level(lease, fixed));
            return Optional.ofNullable(lost.remove(key));
        });
        old.ifPresent(Entry::abandon);
        lease.onLost(loss -> lost(key, lease, loss));
    }

    private void lost(Owner key, Lease lease, LeaseLostException loss) {
        Optional<Entry> dropped = guarded(() -> {
            Entry entry = held.get(key);
            if (entry == null || !entry.has(lease)) {
                return Optional.empty();
            }
            held.remove(key);
            entry.lost = loss;
            lost.put(key, entry);
            return lost.size() > MOST_LOST ? Optional.of(removeOldestLoss()) : Optional.empty();
        });
        dropped.ifPresent(Entry::abandon);
    }

    private Entry removeOldestLoss() {
        Iterator<Entry> oldest = lost.values().iterator();
        Entry entry = oldest.next();
        oldest.remove();
        return entry;
    }

    /**
     * Adds a level without a store call, if the owner has a hold. If that hold was lost, it is forgotten, and nothing is added.
     *
     * @param lease the fixed lease of the level, which never shortens that of the hold
     * @return {@code true} if a level was added
     * @throws UnsupportedOperationException if the hold has a fixed lease, and the level has none
     */
    boolean reenter(Owner key, Optional<Duration> lease) {
        Optional<Level> top = top(key);
        if (top.isEmpty()) {
            forgetLoss(key);
            return false;
        }
        Level level = top.get();
        return isConfirmed(key, level, () -> confirm(key, level, lease)) && guarded(() -> push(key, level));
    }

    private Optional<Level> top(Owner key) {
        return guarded(() -> Optional.ofNullable(held.get(key)).map(entry -> entry.levels.getLast()));
    }

    /** Returns {@code false} if the hold was lost. It is reported as an event, and forgotten: the owner starts anew, as with Redisson. */
    private boolean isConfirmed(Owner key, Level level, Runnable confirmation) {
        try {
            confirmation.run();
            return true;
        } catch (LeaseLostException e) {
            remove(key, level.lease).ifPresent(Entry::abandon);
            return false;
        }
    }

    private static void confirm(Owner key, Level level, Optional<Duration> lease) {
        if (!level.fixed) {
            level.lease.ensureValid(Duration.ZERO);
        } else if (lease.isPresent()) {
            level.lease.extend(lease.get());
        } else {
            throw new UnsupportedOperationException("lock " + quoted(key.name) + ": owner " + key.number
                    + " holds it with a fixed lease, which the watchdog cannot take over; lock it again with a lease");
        }
    }

    private boolean push(Owner key, Level level) {
        Entry entry = held.get(key);
        if (entry == null || !entry.has(level.lease)) {
            return false;
        }
        entry.levels.addLast(level);
        return true;
    }

    private void forgetLoss(Owner key) {
        Optional<Entry> entry = guarded(() -> Optional.ofNullable(lost.remove(key)));
        entry.ifPresent(Entry::abandon);
    }

    /** Removes the entry of the lease. A grant that arrived meanwhile is another entry, and stays. */
    private Optional<Entry> remove(Owner key, Lease lease) {
        return guarded(() -> {
            Optional<Entry> entry = entry(key).filter(found -> found.has(lease));
            entry.ifPresent(found -> {
                held.remove(key, found);
                lost.remove(key, found);
            });
            return entry;
        });
    }

    /** Ends the innermost level of the owner. The caller closes the lease of the last level. Empty if there is no level. */
    Optional<Ended> end(Owner key) {
        return guarded(() -> entry(key).map(entry -> {
            Level level = entry.levels.removeLast();
            if (entry.levels.isEmpty()) {
                held.remove(key);
                lost.remove(key);
            }
            return new Ended(level.lease, !entry.has(level.lease), Optional.ofNullable(entry.lost));
        }));
    }

    /** Takes back a grant that the owner does not know of, and releases it. */
    void undo(Owner key, Lease lease) {
        guarded(() -> {
            entry(key)
                    .filter(entry -> entry.levels.removeIf(level -> level.lease == lease))
                    .filter(entry -> entry.levels.isEmpty())
                    .ifPresent(entry -> {
                        held.remove(key);
                        lost.remove(key);
                    });
            return true;
        });
        closeLater(lease);
    }

    /** Returns {@code true} if the owner has a hold. One in doubt is confirmed; one that was lost is forgotten. */
    boolean isHeld(Owner key) {
        return top(key).filter(level -> isConfirmed(key, level, () -> level.lease.ensureValid(Duration.ZERO)))
                .isPresent();
    }

    /** Returns {@code true} if an owner has such a hold of the name. */
    boolean isHeldAs(String name, Side side) {
        return guarded(() -> held.keySet().stream().anyMatch(key -> key.name.equals(name) && key.side == side));
    }

    /** Returns the number of levels that the owner has to unlock. */
    int levels(Owner key) {
        return guarded(() -> entry(key).map(entry -> entry.levels.size()).orElse(0));
    }

    /** Returns the lease of the innermost level, even if it was lost. */
    Optional<Lease> lease(Owner key) {
        return guarded(() -> entry(key).map(entry -> entry.levels.getLast().lease));
    }

    /** Returns the number of owners, and of losses that are remembered. */
    int size() {
        return guarded(() -> held.size() + lost.size());
    }

    private Optional<Entry> entry(Owner key) {
        return Optional.ofNullable(held.get(key)).or(() -> Optional.ofNullable(lost.get(key)));
    }

    private static void closeLater(Lease lease) {
        var unused = lease.closeAsync();
    }
}
