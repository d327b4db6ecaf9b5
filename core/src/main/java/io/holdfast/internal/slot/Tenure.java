package io.holdfast.internal.slot;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of this client to hold a name, from the first request until it is given up. Guarded by its slot's mutex, except
 * for volatile fields.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>An ended tenure stays ended. No copy of its acquire is sent any more, and its id is never used again (ABA).
 *   <li>At most one {@link Settlement} gives it up.
 * </ol>
 */
public final class Tenure {

    public enum State {
        /** Refused, or not answered yet. */
        WAITING,
        /** Granted, and not known to be lost. */
        HELD,
        /** Given up or lost, and never held again: the id is burnt. */
        ENDED
    }

    /**
     * An answered poll, by which the server times in signals are interpreted.
     *
     * @param sent the time just before the poll was sent, in {@code nanoTime}
     * @param skew the wall clock minus {@code nanoTime} at that time, in nanoseconds
     * @param serverMicros the server's time in the answer, in microseconds
     * @param run the run of the server; 0 if it is not known for certain
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

    /** The time when it is given up if it lingers; {@link Durations#NEVER} otherwise. */
    public volatile long lingerUntil = Durations.NEVER;

    volatile boolean mayBeAtStore;

    /**
     * Set if its owner also holds another tenure of the name, for which others would have to wait. It is then not handed over.
     */
    public volatile boolean ownerHoldsAnother;

    /** The settlement that gives it up. A second settlement could take the release by the first one for a loss. */
    public volatile @Nullable Settlement settlement;

    public volatile boolean lateReported;

    /** The reason why the last renewal or release is not confirmed. */
    public volatile String lastFailure = NO_ANSWER;

    /** The spec of a ticket. */
    @Nullable
    HoldSpec spec;

    boolean earlierOutcomeUnknown;
    boolean queued;

    /** Set if the queue of the store had no room for it when it last asked for a position. It then polls. */
    boolean noRoom;

    public long arrival;

    /** The time since which it has waited here for a position; {@link Durations#NEVER} if it asked for one at once. */
    long waitingSince = Durations.NEVER;

    long startedAt;
    /** The time when the store was last asked with it. */
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

    /** Set if it was assigned by a message and not renewed since. It then lasts for a claim window only. */
    boolean claimed;

    volatile boolean refilling;
    /** The longest lease that the store was ever asked for, in nanoseconds. */
    public volatile long longestLease;

    int foreignWaiters;
    long sliceStart = Durations.NEVER;

    /** The number of permits of a semaphore that it has when it is held. */
    public volatile int permits;

    /** Set if another client asked for the name while this tenure waited for it. */
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

    /** Returns the time for which it has waited here for a position. */
    public Duration waited(long now) {
        return waitingSince == Durations.NEVER ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - waitingSince));
    }

    /** Continues the request of another tenure, with the patience that is left. */
    void continueFrom(Tenure before) {
        earlierOutcomeUnknown = before.outcomeUnknown();
        startedAt = before.startedAt;
        failures = before.failures;
        tokens.requestSize = before.tokens.requestSize;
    }

    /**
     * Counts a copy of the acquire that is about to be sent.
     *
     * @return {@code false} if the tenure was given up, so that no copy may be sent
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
     * Records that a renewal is about to be sent, so that the next owner knows for how long the tenure may last. Guarded by the
     * slot's mutex.
     */
    @CanIgnoreReturnValue
    public HoldSpec renewalSent(long now, HoldSpec spec) {
        renewSent = now;
        longestLease = Math.max(longestLease, spec.nanos());
        return spec;
    }

    /** Returns {@code true} if a renewal was sent so recently that its answer is still awaited. */
    public boolean isRenewing(long now, long commandNanos) {
        return renewSent != Durations.NEVER && now - renewAgainAt(commandNanos) < 0;
    }

    /** Returns the time when an unanswered renewal is to be followed by another one, early enough to be of use. */
    public long renewAgainAt(long commandNanos) {
        return renewSent + Math.min(commandNanos, validity.lease() / 6);
    }

    /** Returns the time that the tenure may last, in nanoseconds, if the unanswered requests are granted. */
    long mayLastFor(long now) {
        long sent = renewSent;
        long left = validity.remaining(now);
        return sent == Durations.NEVER ? left : Math.max(left, sent + longestLease - now);
    }

    /** Returns {@code true} if the tenure has lingered for as long as it may. */
    public boolean lingerExpired(long now) {
        long until = lingerUntil;
        return until != Durations.NEVER && now - until >= 0;
    }

    /**
     * Drops an assignment that arrived while a request is in flight, and that was taken back. Its position is used up, so the
     * tenure has to ask again.
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

    /** Ends the request, and returns it with what arrived meanwhile. */
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

    /** Moves the deadline by a positive reply. A reply to an earlier request than the last one changes nothing. */
    void confirm(Validity proven, boolean watchdog) {
        if (!validity.proven() || proven.sent() - validity.sent() >= 0) {
            validity = proven.orLater(validity);
            renewDue = watchdog ? proven.sent() + proven.lease() / 3 : Durations.NEVER;
            handedOver = false;
            claimed = false;
            lateReported = false;
            lastFailure = NO_ANSWER;
        }
    }

    /** Returns the highest token used, so that the store can take the rest back; 0 if others may have higher ones. */
    long highestUsedToken() {
        return !ownerHoldsAnother && share.mode() != Share.Mode.UPGRADE ? tokens.highestUsed() : 0;
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
