package io.holdfast.internal.slot;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of this client to hold a name, from the first request to the release. Guarded by its slot's mutex, except for
 * volatile fields.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>An ended tenure stays ended. No copy of its acquire is sent any more, and its id is never used again (ABA).
 *   <li>At most one {@link Settlement} releases it.
 * </ol>
 */
public final class Tenure {

    public enum State {
        /** Refused, or not answered yet. */
        WAITING,
        /** Granted, and not known to be lost. */
        HELD,
        /** Released or lost, and never held again: the id is retired. */
        ENDED
    }

    /**
     * The clocks at an answered poll. They convert a server time in a signal to local time.
     *
     * @param sent the time just before the poll was sent, in {@code nanoTime}
     * @param skew the wall clock minus {@code nanoTime} at that time, in nanoseconds
     * @param serverMicros the server's time in the answer, in microseconds
     * @param run a number that changes whenever the server may have lost its data; 0 if it is not known for certain
     */
    public record ClockSample(long sent, long skew, long serverMicros, long run) {}

    private static final String NO_ANSWER = "no answer";

    public final TenureId id;
    public final Share share;
    public final OutstandingCopies copies = new OutstandingCopies();
    public final TokenSupply tokens;

    public volatile State state = State.WAITING;
    public volatile Validity validity = Validity.NONE;
    public volatile long renewDue = Durations.NEVER;
    public volatile long renewSent = Durations.NEVER;

    /** The end of its linger; {@link Durations#NEVER} if it does not linger. */
    public volatile long lingerUntil = Durations.NEVER;

    /** Set if it is lost or ended for this client, and the store may still hold it. */
    volatile boolean mayBeAtStore;

    /** The number of owners that lost it and have not released their holds yet. */
    int lostOwners;

    /**
     * Set if its owner also holds another tenure of the name. The next owner would have to wait for that one, so this one is
     * not handed over.
     */
    public volatile boolean ownerHoldsAnother;

    /** The settlement that releases it. A second settlement would find it released by the first one, and report a loss. */
    public volatile @Nullable Settlement settlement;

    public volatile boolean lateReported;

    /** The reason why the last renewal or release is not confirmed. */
    public volatile String lastFailure = NO_ANSWER;

    /** The spec of a ticket. */
    @Nullable
    HoldSpec spec;

    boolean earlierOutcomeUnknown;
    boolean queued;

    /** Set if the queue of the store had no room when it last requested a position. It then polls. */
    boolean noRoom;

    public long arrival;

    /** The time since which it waits locally for a position; {@link Durations#NEVER} if it requested one at once. */
    long waitingSince = Durations.NEVER;

    long startedAt;
    /** The time when it was last requested. */
    long lastRequestAt;

    int failures;
    int polls;
    long pollNumber;

    @Nullable
    ClockSample clockSample;

    @Nullable
    Waiter preparedFor;

    boolean preparing;
    boolean handedOver;

    /** Set if it was assigned by a message and has not been renewed since. Its lease is then the claim window. */
    boolean claimed;

    volatile boolean refilling;
    /** The longest lease that was ever requested, in nanoseconds. */
    public volatile long longestLease;

    /** The latest time until which a renewal has asked the store to keep it; {@link Durations#NEVER} if none has. */
    private long requestedUntil = Durations.NEVER;

    int foreignWaiters;
    long sliceStart = Durations.NEVER;

    /** The number of permits that it holds. */
    public volatile int permits;

    /** Set if a foreign waiter was reported before the grant. */
    boolean contendedMeanwhile;

    /** The request in flight; null if there is none. */
    @Nullable
    InFlight request;

    public Tenure(TenureId id, Share share) {
        this.id = id;
        this.share = share;
        this.tokens = new TokenSupply(share.mode() != Share.Mode.READ);
    }

    public HoldSpec spec() {
        return Objects.requireNonNull(spec);
    }

    /** Returns how long it has waited locally for a position. */
    public Duration waited(long now) {
        return waitingSince == Durations.NEVER ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - waitingSince));
    }

    /** Continues the request of another tenure, with the remaining patience. */
    void continueFrom(Tenure before) {
        earlierOutcomeUnknown = before.outcomeUnknown();
        startedAt = before.startedAt;
        failures = before.failures;
        tokens.requestSize = before.tokens.requestSize;
    }

    /**
     * Counts a copy of the acquire that is about to be sent.
     *
     * @return {@code false} if the tenure has ended, so that no copy may be sent
     */
    public boolean countCopy(long notAfter, HoldSpec spec) {
        if (state == State.ENDED) {
            return false;
        }
        copies.sent(notAfter);
        longestLease = Math.max(longestLease, spec.nanos());
        return true;
    }

    /**
     * Records that a renewal is about to be sent, which bounds the time that the tenure may last. Guarded by the slot's mutex.
     */
    @CanIgnoreReturnValue
    public HoldSpec renewalSent(long now, HoldSpec spec) {
        renewSent = now;
        longestLease = Math.max(longestLease, spec.nanos());
        long end = now + spec.nanos();
        requestedUntil = requestedUntil == Durations.NEVER || end - requestedUntil > 0 ? end : requestedUntil;
        return spec;
    }

    /** Returns {@code true} if a renewal was sent so recently that its answer is still awaited. */
    public boolean isRenewing(long now, long commandNanos) {
        return renewSent != Durations.NEVER && now - renewAgainAt(commandNanos) < 0;
    }

    /** Returns the time when another renewal follows an unanswered one, early enough before the deadline. */
    public long renewAgainAt(long commandNanos) {
        return renewSent + Math.min(commandNanos, validity.lease() / 6);
    }

    /**
     * Returns how long the store may keep the tenure, in nanoseconds. A renewal counts whatever its answer was, because the store may
     * have applied it, and never shortens a lease.
     */
    long mayLastFor(long now) {
        long left = validity.unexpired(now) ? validity.end() - now : 0;
        return requestedUntil == Durations.NEVER ? left : Math.max(left, requestedUntil - now);
    }

    /** Returns {@code true} if the store may keep the tenure for longer than a lease that ends now. */
    boolean mayOutlast(long now) {
        return mayLastFor(now) > HoldSpec.margin(longestLease);
    }

    /** Returns {@code true} if the linger of the tenure is over. */
    public boolean lingerExpired(long now) {
        long until = lingerUntil;
        return until != Durations.NEVER && now - until >= 0;
    }

    /**
     * Drops a revoked assignment that arrived while a request was in flight. The position at the store no longer exists, so the
     * tenure has to be requested again.
     */
    void unassign() {
        if (request != null) {
            request.freed |= request.assigned != null;
            request.assigned = null;
        }
    }

    /** Records the position in a reply to the request; 0 for none. */
    void refusedWith(long position, InFlight answered) {
        queued |= position != 0;
        noRoom = answered.forPlace && position == 0;
    }

    boolean inFlight() {
        return request != null;
    }

    void startRequest(boolean forPlace) {
        request = new InFlight();
        request.forPlace = forPlace;
    }

    /** Ends the request, and returns it with the signals that arrived meanwhile. */
    @CanIgnoreReturnValue
    public InFlight endRequest() {
        InFlight ended = request == null ? new InFlight() : request;
        request = null;
        return ended;
    }

    /** Returns {@code true} if a request of this tenure, or of one that it continues, may have had an effect at the store. */
    public boolean outcomeUnknown() {
        return copies.unanswered() || earlierOutcomeUnknown;
    }

    public boolean held() {
        return state == State.HELD;
    }

    public boolean unexpired(long now) {
        return validity.unexpired(now);
    }

    /**
     * Moves the deadline after a positive reply. A reply to a request that was sent before the last confirmed one changes
     * nothing.
     *
     * @param end the time until which the tenure is to be held; {@link Durations#NEVER} if it is to be renewed until its release
     */
    void confirm(Validity proven, long end) {
        if (!validity.proven() || proven.sent() - validity.sent() >= 0) {
            validity = proven.orLater(validity);
            boolean provenToTheEnd = end != Durations.NEVER && validity.deadline() - end >= 0;
            renewDue = provenToTheEnd ? Durations.NEVER : proven.sent() + proven.lease() / 3;
            handedOver = false;
            claimed = false;
            lateReported = false;
            lastFailure = NO_ANSWER;
        }
    }

    /**
     * Returns the highest token used, so that the store can reuse the rest; 0 if another tenure of the name may have higher
     * ones.
     */
    long highestUsedToken() {
        return ownerHoldsAnother ? 0 : tokens.highestUsed();
    }

    void setForeignWaiters(int count, long now) {
        foreignWaiters = count;
        if (count == 0) {
            sliceStart = Durations.NEVER;
        } else if (sliceStart == Durations.NEVER) {
            sliceStart = now;
        }
    }
}
