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
 *   <li>A waiter that was answered once tolerates an outage, for at most the outage time of the config.
 *   <li>A waiter that was never answered waits for the command timeout, from the first request for it.
 * </ol>
 */
public final class WaitQueue {

    private static final long MIN_PATIENCE = 1;

    /** An empty queue, which all slots without a waiter share. Nothing is added to it. */
    private static final ArrayDeque<Waiter> EMPTY = new ArrayDeque<>(0);

    private final String name;
    private final SlotConfig config;
    private ArrayDeque<Waiter> waiters = EMPTY;
    private QueueOutage outage = QueueOutage.NONE;

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

    /** Returns {@code true} if any waiter has time to wait, and so needs a position at the store. */
    boolean anyCanWait() {
        for (Waiter waiter : waiters) {
            if (waiter.canWait()) {
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
        if (inOutage()) {
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
            storeAnswered();
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
     * Records that a request for all waiters is about to be sent.
     *
     * @return the time until the first waiter no longer waits for the answer, in nanoseconds
     */
    long onSend(Tenure requested, long now) {
        waiters.forEach(waiter -> waiter.requestedAt(now));
        requested.lastRequestAt = now;
        return patience(requested, now);
    }

    /**
     * Records that a request for this waiter alone is about to be sent.
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
        boolean noOutage = waiter.answered && !inOutage();
        return noOutage ? config.outage() : Math.max(MIN_PATIENCE, patienceEnd(waiter, requested) - now);
    }

    /**
     * Returns {@code true} if every waiter can wait for another answer. A request that a waiter cannot wait for would end with
     * its outcome unknown.
     */
    boolean hasTime(Tenure requested, long now) {
        return patience(requested, now) > Slot.FIRST_BACKOFF_NANOS;
    }

    /** Returns the reason why the last request failed; empty if it did not. */
    public Optional<StoreException> lastFailure() {
        return Optional.ofNullable(outage.cause());
    }

    /** Records that the store has answered, which ends an outage. */
    void storeAnswered() {
        outage = outage.answered();
    }

    /** Records that the store has answered all waiters about the name. */
    void markAllAnswered() {
        waiters.forEach(waiter -> waiter.answered = true);
    }

    /** Records a grant that can be relied on. */
    void grantCounted() {
        outage = outage.confirmed();
    }

    /** Records that a request failed or had no answer. An outage starts with the first such request. A contended request is an answer. */
    void requestFailed(Tenure requested, StoreException cause, long now) {
        // a waiter that arrived during the request has waited for the same answer
        waiters.forEach(waiter -> waiter.requestedAt(waiter.arrived));
        if (cause.effect() == StoreException.Effect.CONTENDED) {
            waiters.stream()
                    .filter(waiter -> !waiter.requestsAlone(requested))
                    .forEach(waiter -> waiter.answered = true);
            storeAnswered();
        }
        outage = outage.failed(cause, requested.lastRequestAt, now, config.outage());
    }

    boolean inOutage() {
        return outage.cause() != null;
    }

    /**
     * Records that the store has refused this request, for all of its waiters. Removes those that have no time left.
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
     * Removes the waiters whose time is up, or whose patience with an unavailable store is over.
     *
     * @return the removed waiters
     */
    List<Waiter> removeExpired(Tenure requested, long now) {
        List<Waiter> removed = new ArrayList<>();
        List.copyOf(waiters).stream()
                .filter(waiter -> !waiter.requestsAlone(requested))
                .forEach(waiter -> removeIfExpired(waiter, requested, outage.cause(), now, removed));
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

    /** Returns the tenure that was requested for this waiter: its own ticket if it has one. */
    private static @Nullable Tenure tenureOf(Waiter waiter, @Nullable Tenure requested) {
        return waiter.ticket == null ? requested : waiter.ticket;
    }

    /**
     * Returns the outcome of a waiter that has no time left. If the store granted the name without confirmation, may have granted it,
     * or could not write the grant, the outcome is an error. "Busy" would be wrong, because no other owner made it wait.
     */
    Outcome timedOut(Waiter waiter, @Nullable Tenure requested, long now) {
        StoreException cause = outage.cause();
        boolean unwritten = cause != null
                && (cause.effect() == StoreException.Effect.UNCONFIRMED
                        || cause.effect() == StoreException.Effect.CONTENDED);
        Tenure tenure = tenureOf(waiter, requested);
        return tenure != null && cause != null && (unwritten || tenure.outcomeUnknown())
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
     * Returns the delay before the next request to an unavailable store. It grows each time, but ends before any waiter's
     * patience is over.
     */
    long backoff(Tenure requested, long now) {
        long delay = config.client()
                .jittered(HoldSpec.doubled(Slot.FIRST_BACKOFF_NANOS, requested.failures++, Slot.MAX_BACKOFF_NANOS));
        return Math.min(delay, patience(requested, now));
    }

    private long patienceEnd(Waiter waiter, Tenure requested) {
        if (!waiter.answered) {
            // a waiter that joined a request under way had no request of its own
            long from = waiter.requestedSince() == Durations.NEVER ? waiter.arrived : waiter.requestedSince();
            long since = requested.startedAt - from > 0 ? requested.startedAt : from;
            return since + config.command();
        }
        long since = outage.since() - waiter.arrived > 0 ? outage.since() : waiter.arrived;
        return since + config.outage();
    }
}
