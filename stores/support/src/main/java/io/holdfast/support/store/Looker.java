package io.holdfast.support.store;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Sightings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals of a store that sends none: one query reads the records of all names for which the client waits, again and
 * again. What has changed since the last reading becomes signals.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>While the client waits for a name, a look is scheduled or under way, unless the looker is paused. Otherwise the store is
 *       not asked.
 *   <li>The versions of a name that are compared rise. So a look that was overtaken by a request of the client finds nothing.
 *   <li>A look that has begun after the last version of a name was noted, and reads an earlier one, was not overtaken: the store
 *       went back, as after the restore of a backup or a failover to a replica that was behind. What it read counts.
 *   <li>A look finds nothing in a record that a request of the client is writing.
 *   <li>A record that a message reports is read at once, or when the client has written it, even if the looker is paused. Somebody
 *       else may have sent the message, so an assignment is believed only if the record states it. An assignment that a request
 *       finds in a record is reported, too, because the read that the message asks for would not find it any more.
 *   <li>After a failed look, the next one that succeeds also reports a {@link Signal.Gap}. So does a look that finds that the store
 *       went back.
 * </ol>
 *
 * <p>The first look follows after 5 ms. If nothing has changed, the next one follows later, by half of the last delay, up to
 * 40 ms.
 */
public final class Looker {

    /** A record as it was read. */
    public interface Sight {

        /** Returns the number of the write. */
        long version();

        /** Returns the record. Fails if it cannot be read. */
        LockRecord record();

        /** Returns the circumstances of the reading. */
        Moment moment();
    }

    /** Reads the records of some names. */
    public interface Reader {

        /** Returns what was found; a name without a record is left out. */
        Map<RecordKey, Sight> read(List<RecordKey> names);
    }

    /**
     * A record as it was last seen.
     *
     * @param looks the number of looks that had begun when it was noted
     */
    private record Seen(long version, LockRecord record, long looks) {}

    private static final Logger LOG = LoggerFactory.getLogger(Looker.class);
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final int NAMES_PER_QUERY = 200;

    /** The version of a record that does not exist, which is earlier than any other. */
    private static final long ABSENT = Long.MIN_VALUE;

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Reader reader;
    private final Platform.Timer timer;
    private final Platform.Worker worker;
    private final ReentrantLock mutex = new ReentrantLock();

    // ---- guarded by the mutex

    private final Map<RecordKey, Seen> awaited = new HashMap<>();
    /** The number of writes of this client that are under way, by name. */
    private final Map<RecordKey, Integer> writes = new HashMap<>();

    /** The names whose records are to be read because of a message. */
    private final Set<RecordKey> reported = new HashSet<>();

    /** Those of them that the present look has not read yet. */
    private final Set<RecordKey> unread = new HashSet<>();

    private final List<CompletableFuture<Void>> proofs = new ArrayList<>();
    private Platform.Task next = () -> {};
    private long delay = FIRST_NANOS;

    /** The number of looks that have begun. */
    private long looks;

    private boolean looking;
    private boolean missed;
    private boolean paused;
    private boolean closed;

    /**
     * Creates the looker of a client.
     *
     * @param timer a timer, which somebody else closes
     */
    public Looker(StoreConfig config, Platform.Timer timer, Reader reader) {
        this.config = config;
        this.keys = new RecordKeys(config.keyPrefix());
        this.timer = timer;
        this.reader = reader;
        worker = config.platform().worker("holdfast-" + config.client().id() + "-look", 1);
    }

    /** Ends the looks, because signals are pushed from now on. */
    public void pause() {
        change(() -> {
            paused = true;
            // a proof still needs its look
            if (!looking) {
                schedule();
            }
        });
    }

    /** Looks again, because no signals are pushed. */
    public void resume() {
        change(() -> {
            paused = false;
            lookSoon();
        });
    }

    /** Begins a write of this client. What the client itself writes is no signal. */
    public void begin(RecordKey key) {
        change(() -> writes.merge(key, 1, Integer::sum));
    }

    /** Ends a write, after it was reported. */
    public void end(RecordKey key) {
        change(() -> {
            writes.computeIfPresent(key, (written, count) -> count == 1 ? null : count - 1);
            if (reported.contains(key) && !looking) {
                schedule();
            }
        });
    }

    /**
     * Reads a record soon, because a message says that it was assigned to this client. A message about a record in which the client
     * does not wait is forged, or too late.
     */
    public void read(RecordKey key) {
        change(() -> {
            if (awaited.containsKey(key) || writes.containsKey(key)) {
                reported.add(key);
                if (!looking) {
                    schedule();
                }
            }
        });
    }

    /**
     * Reports a record that a request of this client has read. What other clients have written since the last reading becomes
     * signals, unless they are pushed.
     *
     * @param version the number of the write
     */
    public void found(RecordKey key, long version, LockRecord record, Moment moment) {
        boolean pushed = locked(() -> paused);
        compare(key, version, record, moment, false).stream()
                .filter(signal -> !pushed || signal instanceof Signal.Assigned)
                .forEach(config.signals());
    }

    /**
     * Reports a record that a request of this client has written, or has left as it was. If the client waits there, it receives
     * signals about later writes from now on.
     *
     * @param version the number of the write
     */
    public void left(RecordKey key, long version, LockRecord record) {
        change(() -> {
            Seen last = awaited.get(key);
            if ((last == null || last.version < version) && keep(key, version, record)) {
                lookSoon();
            }
        });
    }

    /** Keeps a record if the client waits there. Guarded by the mutex. */
    private boolean keep(RecordKey key, long version, LockRecord record) {
        boolean waits = Sightings.isAwaited(config.client().id(), record);
        if (waits) {
            awaited.put(key, new Seen(version, record, looks));
        } else {
            awaited.remove(key);
        }
        return waits;
    }

    /** Returns the names for which this client waits. */
    public Set<RecordKey> awaited() {
        return locked(() -> Set.copyOf(awaited.keySet()));
    }

    /** Proves that changes are found, as {@link io.holdfast.spi.LockStore#confirmSignals}. */
    public CompletionStage<Void> confirm() {
        CompletableFuture<Void> proof = new CompletableFuture<>();
        return locked(() -> {
            proofs.add(proof);
            lookSoon();
            return proof;
        });
    }

    /** Schedules a look. Guarded by the mutex. */
    private void lookSoon() {
        delay = FIRST_NANOS;
        if (!looking) {
            schedule();
        }
    }

    private void schedule() {
        // one that was scheduled while a look was about to begin
        next.cancel();
        if (closed) {
            fail(proofs);
        } else if ((!paused && !awaited.isEmpty()) || !proofs.isEmpty() || hasReported()) {
            long jitter = Math.floorMod(config.platform().randomLong(), delay / 4);
            boolean atOnce = !proofs.isEmpty() || (hasReported() && !missed);
            next = timer.schedule(atOnce ? 0 : delay - jitter, this::start);
        }
    }

    private boolean hasReported() {
        return reported.stream().anyMatch(name -> !writes.containsKey(name));
    }

    private static void fail(List<CompletableFuture<Void>> waiting) {
        waiting.forEach(proof -> proof.completeExceptionally(
                new StoreException(StoreException.Effect.NOT_APPLIED, "the client is closed, so no signals arrive")));
        waiting.clear();
    }

    private void start() {
        change(() -> {
            looking = true;
        });
        try {
            worker.execute(this::look);
        } catch (Throwable e) {
            LOG.debug("no thread for a look; trying again", e);
            finish(false);
        }
    }

    private void look() {
        List<CompletableFuture<Void>> asked = new ArrayList<>();
        boolean changed = false;
        try {
            List<RecordKey> names = begin(asked);
            for (int from = 0; from < names.size(); from += NAMES_PER_QUERY) {
                List<Signal> found = look(names.subList(from, Math.min(names.size(), from + NAMES_PER_QUERY)));
                changed |= !found.isEmpty();
                found.forEach(config.signals());
            }
            succeed();
            asked.forEach(proof -> proof.complete(null));
        } catch (RuntimeException e) {
            fail(asked, e);
        } finally {
            finish(changed);
        }
    }

    /** Begins a look, and returns the names to read. A proof needs a query even if the client waits for no name. */
    private List<RecordKey> begin(List<CompletableFuture<Void>> asked) {
        return locked(() -> {
            looks++;
            asked.addAll(proofs);
            proofs.clear();
            Set<RecordKey> names = new HashSet<>(reported);
            names.removeAll(writes.keySet());
            // before the query: a message that arrives from now on may be about a later write
            reported.removeAll(names);
            unread.addAll(names);
            if (!paused || !asked.isEmpty()) {
                names.addAll(awaited.keySet());
            }
            return names.isEmpty() ? List.of(keys.lock("")) : List.copyOf(names);
        });
    }

    private List<Signal> look(List<RecordKey> names) {
        Map<RecordKey, Sight> sights = reader.read(names);
        change(() -> unread.removeAll(names));
        List<Signal> found = new ArrayList<>();
        for (RecordKey name : names) {
            try {
                found.addAll(compare(name, sights.get(name)));
            } catch (RuntimeException e) {
                // one record that cannot be read must not end the signals of the others: its waiter asks, and is told
                LOG.debug("the record of {} cannot be read", quoted(keys.name(name)), e);
                change(() -> awaited.remove(name));
                found.add(new Signal.Freed(keys.name(name)));
            }
        }
        return found;
    }

    /** Compares a record with what is known. A record that this client is writing is left to a look after that. */
    private List<Signal> compare(RecordKey name, @Nullable Sight sight) {
        return locked(() -> {
            if (writes.containsKey(name)) {
                if (paused) {
                    reported.add(name);
                }
                return List.of();
            }
            return sight == null
                    // somebody has deleted the record
                    ? compare(name, ABSENT, LockRecord.EMPTY, Moment.of(0, 0), true)
                    : compare(name, sight.version(), sight.record(), sight.moment(), true);
        });
    }

    /**
     * Returns the signals about what was written since the last reading, unless this reading was overtaken.
     *
     * @param looked {@code true} if the present look has read the record, and not a request
     */
    private List<Signal> compare(RecordKey key, long version, LockRecord record, Moment moment, boolean looked) {
        return locked(() -> {
            Seen last = awaited.get(key);
            boolean wentBack = looked && last != null && last.looks < looks && version < last.version;
            if (last == null || (version <= last.version && !wentBack)) {
                return List.of();
            }
            missed |= wentBack;
            var unused = keep(key, version, record);
            return new Sightings(config.client().id(), keys.name(key), last.record, record, moment).signals();
        });
    }

    private void succeed() {
        boolean gap = locked(() -> {
            boolean before = missed;
            missed = false;
            return before;
        });
        if (gap) {
            config.signals().accept(new Signal.Gap());
        }
    }

    private void fail(List<CompletableFuture<Void>> asked, RuntimeException cause) {
        LOG.debug("a look failed; trying again", cause);
        change(() -> {
            missed = true;
            reported.addAll(unread);
            unread.clear();
        });
        asked.forEach(proof -> proof.completeExceptionally(cause));
    }

    private void finish(boolean changed) {
        change(() -> {
            looking = false;
            delay = changed ? FIRST_NANOS : Math.min(LONGEST_NANOS, delay + delay / 2);
            schedule();
        });
    }

    /** Ends the looks. */
    public void close() {
        change(() -> {
            closed = true;
            next.cancel();
            fail(proofs);
        });
        worker.close();
    }

    private void change(Runnable change) {
        var unused = locked(() -> {
            change.run();
            return true;
        });
    }

    private <T> T locked(Supplier<T> action) {
        mutex.lock();
        try {
            return action.get();
        } finally {
            mutex.unlock();
        }
    }
}
