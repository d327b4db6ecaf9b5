package io.holdfast.internal.slot;

import io.holdfast.internal.access.Durations;
import io.holdfast.spi.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait in this client for one name, and their patience with a store that does not answer: who was answered once
 * stays through an outage, who was not has the command timeout, from when the store is asked for it. Guarded by the slot's
 * mutex.
 */
public final class WaitQueue {

    private static final long LEAST_PATIENCE = 1;

    /** Never written to: most names have nobody that waits. */
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

    /** Whether anybody waits for a place to come up. */
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

    /** The store is about to be asked; returns for how long somebody here will wait for the answer, in nanoseconds. */
    long asks(Tenure asked, long now) {
        waiters.forEach(waiter -> waiter.asked(now));
        asked.asked = now;
        return patience(asked, now);
    }

    /** The same, if only this one waits for the answer. */
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

    /** Whether nobody's patience is over. A request that nobody can wait for would end with its outcome unknown. */
    boolean hasTime(Tenure asked, long now) {
        return patience(asked, now) > LEAST_PATIENCE;
    }

    /** Why the last request had no answer that counts; empty if it had one. */
    public Optional<StoreException> trouble() {
        return Optional.ofNullable(outage);
    }

    /** The store has answered. */
    void answers() {
        outage = null;
    }

    /** It has said something of the name to all who wait. */
    void answered() {
        waiters.forEach(waiter -> waiter.answered = true);
    }

    /** It has granted the name, and that counts. */
    void grants() {
        inVainAt = Durations.NEVER;
    }

    /** The store has not answered, or could not. An outage begins with the first request that it did not answer. */
    void isSilent(Tenure asked, StoreException cause, long now) {
        // who came while it was asked has waited for the same silence
        waiters.forEach(waiter -> waiter.asked(waiter.arrived));
        // what stands in vain is given back: that others are served meanwhile is no end of it
        boolean inVain = inVainAt != Durations.NEVER && now - inVainAt < config.outage();
        outageSince = outage == null && !inVain ? asked.asked : outageSince;
        outage = cause;
        inVainAt = cause.effect() == StoreException.Effect.UNCONFIRMED ? now : inVainAt;
    }

    boolean inOutage() {
        return outage != null;
    }

    /** The store has refused all for whom this was asked: takes out those who have no more time. */
    List<Waiter> refused(Tenure asked, Optional<String> holder, long now) {
        return List.copyOf(waiters).stream()
                .filter(waiter -> !waiter.asksAlone(asked))
                .flatMap(waiter -> refused(waiter, holder, now).stream())
                .toList();
    }

    /** The store has refused this one: takes it out if it has no more time. */
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

    /** Takes out those whose time is up, or whose patience with the silent store is. */
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

    /** The tenure with which the store was asked for this waiter: its own ticket, if it has one. */
    private static @Nullable Tenure own(Waiter waiter, @Nullable Tenure asked) {
        return waiter.ticket == null ? asked : waiter.ticket;
    }

    /** What comes of one who has no more time: if the store granted it in vain, or may have, others are not what it waited for. */
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

    /** When to ask the silent store again: later each time, but before anybody's patience is over. */
    long backoff(Tenure asked, long now) {
        long delay = config.moment()
                .jittered(HoldSpec.doubled(Slot.FIRST_BACKOFF_NANOS, asked.failures++, Slot.MOST_BACKOFF_NANOS));
        return Math.min(delay, patience(asked, now));
    }

    private long limit(Waiter waiter, Tenure asked) {
        if (!waiter.answered) {
            long since = asked.born - waiter.askedFrom() > 0 ? asked.born : waiter.askedFrom();
            return since + config.command();
        }
        long since = outageSince - waiter.arrived > 0 ? outageSince : waiter.arrived;
        return since + config.outage();
    }
}
