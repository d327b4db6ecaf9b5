package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this client for one name, and their patience with a store that does not answer. Guarded by the slot's mutex.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>A waiter that was answered once stays through an outage, for at most the outage time of the config.
 *   <li>A waiter that was not answered has the command timeout, from the time when the store is asked for it.
 * </ol>
 */
public final class WaitQueue {

    private static final long MIN_PATIENCE = 1;

    /** An empty queue that all slots share, and to which nothing is added. Most names have no waiter. */
    private static final ArrayDeque<Waiter> EMPTY = new ArrayDeque<>(0);

    private final String name;
    private final SlotConfig config;
    private ArrayDeque<Waiter> waiters = EMPTY;
    private long outageSince;
    private long unconfirmedAt = Durations.NEVER;
    private @Nullable StoreException outage;

    WaitQueue(String name, SlotConfig config) {
        this.name = name;
        this.config = config;
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    int size() {
        return waiters.size();
    }

    /** Returns {@code true} if any waiter waits for a position to come up. */
    boolean anyQueuesAtStore() {
        for (Waiter waiter : waiters) {
            if (waiter.queuesAtStore()) {
                return true;
            }
        }
        return false;
    }

    Stream<Waiter> stream() {
        return waiters.stream();
    }

    /** Returns the waiter that waits by this ticket. */
    Optional<Waiter> waiterOf(TenureId ticket) {
        return waiters.stream()
                .filter(waiter -> waiter.ticket().id.equals(ticket))
                .findFirst();
    }

    @Nullable
    Waiter peek() {
        return waiters.peek();
    }

    @Nullable
    Waiter poll() {
        Waiter head = waiters.poll();
        resetIfEmpty();
        return head;
    }

    void add(Waiter waiter) {
        if (waiters == EMPTY) {
            waiters = new ArrayDeque<>(2);
        }
        waiters.add(waiter);
        if (outage != null) {
            waiter.requestedAt(waiter.arrived);
        }
    }

    /** Moves a waiter to the front. */
    void moveToFront(Waiter waiter) {
        if (waiters.peek() != waiter && waiters.remove(waiter)) {
            waiters.addFirst(waiter);
        }
    }

    /** Moves a waiter behind all others. */
    void moveToBack(Waiter waiter) {
        if (waiters.remove(waiter)) {
            waiters.addLast(waiter);
        }
    }

    boolean remove(Waiter waiter) {
        boolean removed = waiters.remove(waiter);
        resetIfEmpty();
        return removed;
    }

    private void resetIfEmpty() {
        if (waiters.isEmpty()) {
            waiters = EMPTY;
            outage = null;
        }
    }

    List<Waiter> clear() {
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        resetIfEmpty();
        return all;
    }

    // ---- patience

    /**
     * Records that the store is about to be asked for all waiters.
     *
     * @return the time until the first waiter no longer waits for the answer, in nanoseconds
     */
    long onSend(Tenure requested, long now) {
        waiters.forEach(waiter -> waiter.requestedAt(now));
        requested.lastRequestAt = now;
        return patience(requested, now);
    }

    /**
     * Records that the store is about to be asked for this waiter alone.
     *
     * @return the time until it no longer waits for the answer, in nanoseconds
     */
    long onSend(Waiter waiter, Tenure requested, long now) {
        waiter.requestedAt(now);
        requested.lastRequestAt = now;
        return patience(waiter, requested, now);
    }

    private long patience(Tenure requested, long now) {
        long patience = Durations.NEVER;
        for (Waiter waiter : waiters) {
            if (!waiter.requestsAlone(requested)) {
                patience = Math.min(patience, patience(waiter, requested, now));
            }
        }
        return patience;
    }

    private long patience(Waiter waiter, Tenure requested, long now) {
        boolean noOutage = waiter.answered && outage == null;
        return noOutage ? config.outage() : Math.max(MIN_PATIENCE, patienceEnd(waiter, requested) - now);
    }

    /**
     * Returns {@code true} if no waiter's patience is over. A request for which a waiter cannot wait would end with its outcome
     * unknown.
     */
    boolean hasTime(Tenure requested, long now) {
        return patience(requested, now) > Slot.FIRST_BACKOFF_NANOS;
    }

    /** Returns the reason why the last request had no answer that counts; empty if it had one. */
    public Optional<StoreException> lastFailure() {
        return Optional.ofNullable(outage);
    }

    /** Records that the store has answered, which ends an outage. */
    void storeAnswered() {
        outage = null;
    }

    /** Records that the store has answered all waiters about the name. */
    void markAllAnswered() {
        waiters.forEach(waiter -> waiter.answered = true);
    }

    /** Records that the store has granted the name, and that the grant counts. */
    void grantCounted() {
        unconfirmedAt = Durations.NEVER;
    }

    /**
     * Records that the store has not answered, or could not. An outage begins with the first request that the store did not
     * answer.
     */
    void requestFailed(Tenure requested, StoreException cause, long now) {
        // a waiter that arrived during the request has waited for the same silence
        waiters.forEach(waiter -> waiter.requestedAt(waiter.arrived));
        // a grant that does not count is given back, and others are served in between: that does not end the outage
        boolean unconfirmed = unconfirmedAt != Durations.NEVER && now - unconfirmedAt < config.outage();
        outageSince = outage == null && !unconfirmed ? requested.lastRequestAt : outageSince;
        outage = cause;
        unconfirmedAt = cause.effect() == StoreException.Effect.UNCONFIRMED ? now : unconfirmedAt;
    }

    boolean inOutage() {
        return outage != null;
    }

    /**
     * Records that the store has refused all waiters for which this tenure asked. Removes those that have no time left.
     *
     * @return the removed waiters
     */
    List<Waiter> refused(Tenure requested, Optional<String> holder, long now) {
        return List.copyOf(waiters).stream()
                .filter(waiter -> !waiter.requestsAlone(requested))
                .flatMap(waiter -> refused(waiter, holder, now).stream())
                .toList();
    }

    /**
     * Records that the store has refused this waiter. Removes it if it has no time left.
     *
     * @return the waiter, if it was removed
     */
    Optional<Waiter> refused(Waiter waiter, Optional<String> holder, long now) {
        waiter.answered = true;
        waiter.holder = holder;
        if (!waiter.outOfTime(now)) {
            return Optional.empty();
        }
        remove(waiter);
        waiter.outcome = new Outcome.Busy(holder);
        return Optional.of(waiter);
    }

    /**
     * Removes the waiters whose time is up, or whose patience with the silent store is over.
     *
     * @return the removed waiters
     */
    List<Waiter> removeExpired(Tenure requested, long now) {
        List<Waiter> removed = new ArrayList<>();
        List.copyOf(waiters).stream()
                .filter(waiter -> !waiter.requestsAlone(requested))
                .forEach(waiter -> removeIfExpired(waiter, requested, outage, now, removed));
        return removed;
    }

    private void removeIfExpired(
            Waiter waiter, Tenure requested, @Nullable StoreException cause, long now, List<Waiter> removed) {
        boolean timeUp = waiter.answered && waiter.outOfTime(now);
        boolean refused = cause != null && cause.effect() == StoreException.Effect.REFUSED;
        if (timeUp && !refused) {
            finish(waiter, timedOut(waiter, requested, now), removed);
        } else if (cause != null && (refused || now - patienceEnd(waiter, requested) >= 0)) {
            finish(waiter, failed(waiter, Objects.requireNonNull(tenureOf(waiter, requested)), cause, now), removed);
        }
    }

    /** Returns the tenure with which the store was asked for this waiter: its own ticket if it has one. */
    private static @Nullable Tenure tenureOf(Waiter waiter, @Nullable Tenure requested) {
        return waiter.ticket == null ? requested : waiter.ticket;
    }

    /**
     * Returns the outcome of a waiter that has no time left. If the store granted the name in vain, or may have granted it, the
     * outcome is an error, because no other owner made it wait.
     */
    Outcome timedOut(Waiter waiter, @Nullable Tenure requested, long now) {
        StoreException cause = outage;
        boolean granted = cause != null && cause.effect() == StoreException.Effect.UNCONFIRMED;
        Tenure tenure = tenureOf(waiter, requested);
        return tenure != null && cause != null && (granted || tenure.outcomeUnknown())
                ? failed(waiter, tenure, cause, now)
                : new Outcome.Busy(waiter.holder);
    }

    private Outcome failed(Waiter waiter, Tenure tenure, StoreException cause, long now) {
        return new Outcome.Failed(config.client().failure(name, waiter, tenure, cause, now));
    }

    private void finish(Waiter waiter, Outcome outcome, List<Waiter> removed) {
        remove(waiter);
        waiter.outcome = outcome;
        removed.add(waiter);
    }

    /**
     * Returns the delay after which to ask the silent store again. It is longer each time, but ends before any waiter's
     * patience is over.
     */
    long backoff(Tenure requested, long now) {
        long delay = config.client()
                .jittered(HoldSpec.doubled(Slot.FIRST_BACKOFF_NANOS, requested.failures++, Slot.MAX_BACKOFF_NANOS));
        return Math.min(delay, patience(requested, now));
    }

    private long patienceEnd(Waiter waiter, Tenure requested) {
        if (!waiter.answered) {
            // a waiter that joined a request under way, or asks by a batch, was not asked for by itself
            long from = waiter.requestedSince() == Durations.NEVER ? waiter.arrived : waiter.requestedSince();
            long since = requested.startedAt - from > 0 ? requested.startedAt : from;
            return since + config.command();
        }
        long since = outageSince - waiter.arrived > 0 ? outageSince : waiter.arrived;
        return since + config.outage();
    }
}
