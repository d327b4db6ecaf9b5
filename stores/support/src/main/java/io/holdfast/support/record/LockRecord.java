package io.holdfast.support.record;

import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Everything that a store keeps for one name of a lock, a semaphore, or a latch. It is immutable. All times are microseconds of
 * the store's clock.
 *
 * @param holders the holders
 * @param queue the wait queue
 * @param tokens the token units issued
 * @param limit the number of permits of a semaphore; empty if it was not set
 * @param latch the latch; empty if the store knows of no setting
 * @param changes the changes of the counter that are remembered
 * @param at the time of the last write, for a store whose clock is that of its records; empty for a store with a clock
 */
public record LockRecord(
        Holders holders,
        Places queue,
        Tokens tokens,
        OptionalInt limit,
        Optional<Latch> latch,
        Changes changes,
        OptionalLong at) {

    /** The expiry time of a lease or setting that does not expire. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The record of a name that was never used. */
    public static final LockRecord EMPTY = new LockRecord(
            Holders.NONE,
            Places.EMPTY,
            Tokens.NONE,
            OptionalInt.empty(),
            Optional.empty(),
            Changes.NONE,
            OptionalLong.empty());

    /** The time for which the last token of an unused name is kept. */
    private static final long TOKEN_LIFE = 7 * 86_400_000_000L;

    /** Returns {@code true} if the name is held or awaited. */
    public boolean isInUse() {
        return !holders.isEmpty() || !queue.isEmpty();
    }

    /**
     * Returns {@code true} if the name is not in use, and the record only has tokens that were not used for days. A new record
     * may then replace this one.
     */
    public boolean isForgotten(long now) {
        return now - Math.max(tokens.last(), queue.lastArrival()) > TOKEN_LIFE
                && expire(now).hasNothingButTokens();
    }

    /** Returns {@code true} if the name is not in use, and everything else in the record is the tokens that were issued. */
    public boolean hasNothingButTokens() {
        return !isInUse() && limit.isEmpty() && latch.isEmpty() && changes.all().isEmpty();
    }

    /** Returns {@code true} if this record has more entries of some kind than another. Holders and waiters count together. */
    boolean hasMoreThan(LockRecord other) {
        return holders.all().size() + queue.size() > other.holders.all().size() + other.queue.size()
                || changes.all().size() > other.changes.all().size()
                || listeners() > other.listeners();
    }

    private int listeners() {
        return latch.map(some -> some.listeners().size()).orElse(0);
    }

    // ---- expiry

    /**
     * Removes everything that has expired: leases, places that were not refreshed, remembered changes, and the latch. If a
     * client let a claim lapse, all its places are removed, so that it does not cost other clients a second claim window.
     */
    public LockRecord expire(long now) {
        Places waiting = queue;
        for (Holder holder : holders.all()) {
            if (holder.isOver(now) && holder.unclaimed()) {
                waiting = waiting.withoutClient(holder.tenure().clientId());
            }
        }
        return new LockRecord(
                holders.without(holder -> holder.isOver(now)),
                waiting.without(place -> place.isAbandoned(now)),
                tokens,
                limit,
                latch.filter(some -> !some.isForgotten(now)).map(some -> some.expire(now)),
                changes.expire(now),
                at);
    }

    /**
     * Removes the holds, positions and listeners of ended sessions. The next request is then decided as if they had released. A hold
     * that is to be kept for a time stays until that time is over.
     *
     * @param wall the wall clock, in microseconds
     */
    public LockRecord endSessions(Predicate<String> ended, long wall) {
        Predicate<Optional<String>> isEnded = session -> session.filter(ended).isPresent();
        return with(holders.afterSessions(
                                holder -> isEnded.test(holder.claimant().session()))
                        .without(holder -> holder.isNoLongerKept(wall)))
                .with(queue.without(place -> isEnded.test(place.claimant().session())))
                .with(latch.map(some -> some.withListeners(some.listeners().stream()
                        .filter(listener -> !isEnded.test(listener.party().session()))
                        .toList())));
    }

    /**
     * Ends sessions for a client that does not use the name itself. A hold that is to be kept stays for a day longer, because the clock
     * of such a client may be ahead.
     */
    public LockRecord endSessionsForSweep(Predicate<String> ended, long wallMillis) {
        return endSessions(ended, TimeUnit.MILLISECONDS.toMicros(wallMillis) - TimeUnit.DAYS.toMicros(1));
    }

    /** Returns the sessions of all holders, waiters and listeners, some of them several times. */
    public Stream<String> sessions() {
        Stream<Claimant> claimants = Stream.concat(
                holders.all().stream().map(Holder::claimant),
                queue.all().stream().map(Place::claimant));
        Stream<Party> listeners =
                latch.stream().flatMap(some -> some.listeners().stream()).map(Latch.Listener::party);
        return Stream.concat(claimants.map(Claimant::party), listeners).flatMap(party -> party.session().stream());
    }

    /** Ends the lease of a hold now, as if it had been granted until now. */
    public LockRecord endLease(TenureId tenure, long now) {
        return holders.of(tenure)
                .map(holder ->
                        with(holders.with(List.of(holder.expiringAt(now)))).expire(now))
                .orElse(this);
    }

    /**
     * Lets a hold last without its session: for the given time, or until the time that an owner has stated. It ends by the clock of the
     * record or by the wall clock, whichever is first, because nobody relies on it.
     */
    public LockRecord detach(TenureId tenure, long micros, Moment moment) {
        return holders.of(tenure)
                .map(holder -> holder.keptUntil(moment.wall() + micros))
                .map(kept -> kept.detached(moment.now() + Math.max(0, kept.keptUntil() - moment.wall())))
                .map(detached -> with(holders.with(List.of(detached))))
                .orElse(this);
    }

    /** Ends the waits of a client that closes. Its holds stay until their leases end. */
    public LockRecord withoutWaitsOf(String clientId) {
        return with(queue.withoutClient(clientId)).with(latch.map(some -> some.without(clientId)));
    }

    // ---- copies with another part

    /** Returns a copy with the given holders. */
    public LockRecord with(Holders value) {
        return new LockRecord(value, queue, tokens, limit, latch, changes, at);
    }

    /** Returns a copy with the given queue. */
    public LockRecord with(Places value) {
        return new LockRecord(holders, value, tokens, limit, latch, changes, at);
    }

    /** Returns a copy with the given tokens. */
    public LockRecord with(Tokens value) {
        return new LockRecord(holders, queue, value, limit, latch, changes, at);
    }

    /** Returns a copy with the given number of permits. */
    public LockRecord withLimit(OptionalInt value) {
        return new LockRecord(holders, queue, tokens, value, latch, changes, at);
    }

    /** Returns a copy with the given latch. */
    public LockRecord with(Optional<Latch> value) {
        return new LockRecord(holders, queue, tokens, limit, value, changes, at);
    }

    /** Returns a copy with the given remembered changes. */
    public LockRecord with(Changes value) {
        return new LockRecord(holders, queue, tokens, limit, latch, value, at);
    }

    /** Returns a copy that was written at the given time. */
    public LockRecord writtenAt(long time) {
        return new LockRecord(holders, queue, tokens, limit, latch, changes, OptionalLong.of(time));
    }

    // ---- permits

    /** Returns the number of free permits, which is negative if the semaphore was given fewer than are held. */
    public int freePermits() {
        return limit.orElse(0) - holders.permits();
    }
}
