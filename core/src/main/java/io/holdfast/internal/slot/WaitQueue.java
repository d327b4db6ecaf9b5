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

    private static final long LEAST_PATIENCE = 1;

    /** An empty queue that all slots share, and to which nothing is added. Most names have no waiter. */
    private static final ArrayDeque<Waiter> NOBODY = new ArrayDeque<>(0);

    private final String name;
    private final SlotConfig config;
    private ArrayDeque<Waiter> waiters = NOBODY;
    private long outageSince;
    private long inVainAt = Durations.NEVER;
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
    boolean anyQueues() {
        for (Waiter waiter : waiters) {
            if (waiter.queues()) {
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
        forgetIfEmpty();
        return head;
    }

    void add(Waiter waiter) {
        if (waiters == NOBODY) {
            waiters = new ArrayDeque<>(2);
        }
        waiters.add(waiter);
        if (outage != null) {
            waiter.asked(waiter.arrived);
        }
    }

    /** Moves a waiter to the front. */
    void first(Waiter waiter) {
        if (waiters.peek() != waiter && waiters.remove(waiter)) {
            waiters.addFirst(waiter);
        }
    }

    /** Moves a waiter behind all others. */
    void last(Waiter waiter) {
        if (waiters.remove(waiter)) {
            waiters.addLast(waiter);
        }
    }

    boolean remove(Waiter waiter) {
        boolean waited = waiters.remove(waiter);
        forgetIfEmpty();
        return waited;
    }

    private void forgetIfEmpty() {
        if (waiters.isEmpty()) {
            waiters = NOBODY;
            outage = null;
        }
    }

    List<Waiter> clear() {
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        forgetIfEmpty();
        return all;
    }

    // ---- patience

    /**
     * Records that the store is about to be asked for all waiters.
     *
     * @return the time until the first waiter no longer waits for the answer, in nanoseconds
     */
    long asks(Tenure asked, long now) {
        waiters.forEach(waiter -> waiter.asked(now));
        asked.asked = now;
        return patience(asked, now);
    }

    /**
     * Records that the store is about to be asked for this waiter alone.
     *
     * @return the time until it no longer waits for the answer, in nanoseconds
     */
    long asks(Waiter waiter, Tenure asked, long now) {
        waiter.asked(now);
        asked.asked = now;
        return patience(waiter, asked, now);
    }

    private long patience(Tenure asked, long now) {
        long patience = Durations.NEVER;
        for (Waiter waiter : waiters) {
            if (!waiter.asksAlone(asked)) {
                patience = Math.min(patience, patience(waiter, asked, now));
            }
        }
        return patience;
    }

    private long patience(Waiter waiter, Tenure asked, long now) {
        boolean calm = waiter.answered && outage == null;
        return calm ? config.outage() : Math.max(LEAST_PATIENCE, limit(waiter, asked) - now);
    }

    /**
     * Returns {@code true} if no waiter's patience is over. A request for which a waiter cannot wait would end with its outcome
     * unknown.
     */
    boolean hasTime(Tenure asked, long now) {
        return patience(asked, now) > Slot.FIRST_BACKOFF_NANOS;
    }

    /** Returns the reason why the last request had no answer that counts; empty if it had one. */
    public Optional<StoreException> trouble() {
        return Optional.ofNullable(outage);
    }

    /** Records that the store has answered, which ends an outage. */
    void answers() {
        outage = null;
    }

    /** Records that the store has answered all waiters about the name. */
    void answered() {
        waiters.forEach(waiter -> waiter.answered = true);
    }

    /** Records that the store has granted the name, and that the grant counts. */
    void grants() {
        inVainAt = Durations.NEVER;
    }

    /**
     * Records that the store has not answered, or could not. An outage begins with the first request that the store did not
     * answer.
     */
    void isSilent(Tenure asked, StoreException cause, long now) {
        // a waiter that arrived during the request has waited for the same silence
        waiters.forEach(waiter -> waiter.asked(waiter.arrived));
        // a grant that does not count is given back, and others are served in between: that does not end the outage
        boolean inVain = inVainAt != Durations.NEVER && now - inVainAt < config.outage();
        outageSince = outage == null && !inVain ? asked.asked : outageSince;
        outage = cause;
        inVainAt = cause.effect() == StoreException.Effect.UNCONFIRMED ? now : inVainAt;
    }

    boolean inOutage() {
        return outage != null;
    }

    /**
     * Records that the store has refused all waiters for which this tenure asked. Removes those that have no time left.
     *
     * @return the removed waiters
     */
    List<Waiter> refused(Tenure asked, Optional<String> holder, long now) {
        return List.copyOf(waiters).stream()
                .filter(waiter -> !waiter.asksAlone(asked))
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
    List<Waiter> impatient(Tenure asked, long now) {
        List<Waiter> over = new ArrayList<>();
        List.copyOf(waiters).stream()
                .filter(waiter -> !waiter.asksAlone(asked))
                .forEach(waiter -> endIfImpatient(waiter, asked, outage, now, over));
        return over;
    }

    private void endIfImpatient(
            Waiter waiter, Tenure asked, @Nullable StoreException cause, long now, List<Waiter> over) {
        boolean timeUp = waiter.answered && waiter.outOfTime(now);
        boolean refused = cause != null && cause.effect() == StoreException.Effect.REFUSED;
        if (timeUp && !refused) {
            finish(waiter, timedOut(waiter, asked, now), over);
        } else if (cause != null && (refused || now - limit(waiter, asked) >= 0)) {
            finish(waiter, failed(waiter, Objects.requireNonNull(own(waiter, asked)), cause, now), over);
        }
    }

    /** Returns the tenure with which the store was asked for this waiter: its own ticket if it has one. */
    private static @Nullable Tenure own(Waiter waiter, @Nullable Tenure asked) {
        return waiter.ticket == null ? asked : waiter.ticket;
    }

    /**
     * Returns the outcome of a waiter that has no time left. If the store granted the name in vain, or may have granted it, the
     * outcome is an error, because no other owner made it wait.
     */
    Outcome timedOut(Waiter waiter, @Nullable Tenure asked, long now) {
        StoreException cause = outage;
        boolean granted = cause != null && cause.effect() == StoreException.Effect.UNCONFIRMED;
        Tenure own = own(waiter, asked);
        return own != null && cause != null && (granted || own.mayStand())
                ? failed(waiter, own, cause, now)
                : new Outcome.Busy(waiter.holder);
    }

    private Outcome failed(Waiter waiter, Tenure own, StoreException cause, long now) {
        return new Outcome.Failed(config.moment().failure(name, waiter, own, cause, now));
    }

    private void finish(Waiter waiter, Outcome outcome, List<Waiter> over) {
        remove(waiter);
        waiter.outcome = outcome;
        over.add(waiter);
    }

    /**
     * Returns the delay after which to ask the silent store again. It is longer each time, but ends before any waiter's
     * patience is over.
     */
    long backoff(Tenure asked, long now) {
        long delay = config.moment()
                .jittered(HoldSpec.doubled(Slot.FIRST_BACKOFF_NANOS, asked.failures++, Slot.MOST_BACKOFF_NANOS));
        return Math.min(delay, patience(asked, now));
    }

    private long limit(Waiter waiter, Tenure asked) {
        if (!waiter.answered) {
            // a waiter that joined a request under way, or asks by a batch, was not asked for by itself
            long from = waiter.askedFrom() == Durations.NEVER ? waiter.arrived : waiter.askedFrom();
            long since = asked.born - from > 0 ? asked.born : from;
            return since + config.command();
        }
        long since = outageSince - waiter.arrived > 0 ? outageSince : waiter.arrived;
        return since + config.outage();
    }
}
