package io.holdfast.internal.slot;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.internal.access.Durations;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import io.holdfast.spi.TokenBlock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of this client to hold a name, from the first request until it is given up. Guarded by its slot's mutex,
 * except what is volatile.
 */
public final class Tenure {

    public enum State {
        /** Refused, or not answered yet. */
        WAITING,
        /** Granted, and not known to be lost. */
        HELD,
        /** Given up or lost, for good: the id is burnt. */
        ENDED
    }

    /** An answered poll, the base for reading the server times in signals. */
    public record Base(long sent, long skew, long serverMicros, long run) {}

    private static final String NO_ANSWER = "no answer";
    private static final long LOW_WATER = 512;
    private static final long FIRST_REFILL = 16 * 1024;
    private static final long LARGEST_REFILL = 4096 * 1024;

    public final TenureId id;
    public final Share share;
    public final OutstandingCopies copies = new OutstandingCopies();

    public volatile State state = State.WAITING;
    public volatile Validity validity = Validity.NONE;
    public volatile long renewDue = Durations.NEVER;
    public volatile long renewSent = Durations.NEVER;

    /** When it is given up, if it is kept though nobody owns it. */
    public volatile long keptUntil = Durations.NEVER;

    volatile boolean mayBeAtStore;

    /** Whether its owner reads, too, in a tenure that others would have to wait for: it is not handed on. */
    public volatile boolean escorted;

    /** Takes care that nothing is left of it. A second one could take the first one's release for a loss. */
    public volatile @Nullable Settlement settlement;

    public volatile boolean lateReported;

    /** Why the last renewal or release is not confirmed. */
    public volatile String trouble = NO_ANSWER;

    /** What a ticket is for. */
    @Nullable
    HoldSpec wanted;

    boolean beforeMayStand;
    public boolean inFlight;
    boolean queued;
    public long arrival;
    long born;
    /** When the store was last asked with it. */
    long asked;

    int failures;
    int polls;
    long pollNumber;

    @Nullable
    Base base;

    @Nullable
    Waiter preparedFor;

    boolean preparing;
    boolean handedOn;

    /** Assigned by a message, and not renewed since: it lasts for a claim window only. */
    boolean claimed;

    volatile boolean refilling;
    /** The longest lease the store was ever asked for, in nanoseconds. */
    public volatile long longestLease;

    int foreignWaiters;
    long sliceStart = Durations.NEVER;

    /** How many permits of a semaphore it has, when it is held. */
    public volatile int permits;

    /** How many tokens to ask for. */
    public long tokensWanted = 1;

    boolean freedMeanwhile;
    boolean wantedMeanwhile;
    Signal.@Nullable Assigned assignedMeanwhile;

    private long nextToken;
    private long lastToken = -1;
    private @Nullable TokenBlock spare;
    private long highest;
    private long used;

    /** The store is asked to give no token up to this one any more, and none is used. */
    private volatile long floor;

    public Tenure(TenureId id, Share share) {
        this.id = id;
        this.share = share;
    }

    public HoldSpec wanted() {
        return Objects.requireNonNull(wanted);
    }

    /** Is asked for instead of that one, with as much patience as there is left. */
    void goesOnFrom(Tenure before) {
        beforeMayStand = before.mayStand();
        born = before.born;
        failures = before.failures;
        tokensWanted = before.tokensWanted;
    }

    /** Counts a copy of the acquire about to be sent; false if the tenure was given up, so that none may be. */
    public boolean count(long notAfter, HoldSpec spec) {
        if (state == State.ENDED) {
            return false;
        }
        copies.sent(notAfter);
        longestLease = Math.max(longestLease, spec.nanos());
        return true;
    }

    /** A renewal is about to be sent: whoever gets the tenure from now on knows for how long. Under the slot's mutex. */
    @CanIgnoreReturnValue
    public HoldSpec renewing(long now, HoldSpec spec) {
        renewSent = now;
        longestLease = Math.max(longestLease, spec.nanos());
        return spec;
    }

    /** Whether a renewal was sent so lately that its answer is to be waited for. */
    public boolean renewing(long now, long commandNanos) {
        return renewSent != Durations.NEVER && now - renewAgainAt(commandNanos) < 0;
    }

    /** When a renewal that is not answered is to be followed by another: in time to be of use. */
    public long renewAgainAt(long commandNanos) {
        return renewSent + Math.min(commandNanos, validity.lease() / 6);
    }

    /** How long it may last, in nanoseconds, if what was asked for and not answered is granted. */
    long mayLast(long now) {
        long sent = renewSent;
        long left = validity.remaining(now);
        return sent == Durations.NEVER ? left : Math.max(left, sent + longestLease - now);
    }

    /** Whether it was kept for as long as it may be. */
    public boolean keptEnough(long now) {
        long until = keptUntil;
        return until != Durations.NEVER && now - until >= 0;
    }

    /** What was assigned to it while a call is in flight was taken back, and its place is used up: it has to ask again. */
    void unassign() {
        freedMeanwhile |= assignedMeanwhile != null;
        assignedMeanwhile = null;
    }

    /** Whether what was asked for by it, or before it, may stand at the store. */
    public boolean mayStand() {
        return copies.unanswered() || beforeMayStand;
    }

    public boolean held() {
        return state == State.HELD;
    }

    public boolean alive(long now) {
        return validity.alive(now);
    }

    /** Moves the deadline by a positive reply; an older reply than the last changes nothing. */
    void confirm(Validity proven, boolean watchdog) {
        if (!validity.proven() || proven.sent() - validity.sent() >= 0) {
            validity = proven.orLater(validity);
            renewDue = watchdog ? proven.sent() + proven.lease() / 3 : Durations.NEVER;
            handedOn = false;
            claimed = false;
            lateReported = false;
            trouble = NO_ANSWER;
        }
    }

    /**
     * Takes the tokens of a grant in place of all before, unless a higher block was taken already: between two grants to one
     * tenure its lease may have ended, and others may have got tokens above the older block.
     */
    void adopt(TokenBlock block) {
        if (block.first() > highest) {
            highest = block.last();
            nextToken = Math.max(block.first(), floor + 1);
            lastToken = block.last();
            spare = null;
        }
    }

    /** Takes further tokens of a tenure that was held without a break, to be used after those at hand. */
    void refill(TokenBlock block) {
        if (nextToken > lastToken) {
            adopt(block);
        } else if (block.first() > highest) {
            highest = block.last();
            spare = block;
        }
    }

    boolean hasToken() {
        return nextToken <= lastToken || spare != null;
    }

    long takeToken() {
        if (nextToken > lastToken && spare != null) {
            nextToken = Math.max(spare.first(), floor + 1);
            lastToken = spare.last();
            spare = null;
        }
        used = nextToken++;
        return used;
    }

    /** The token of all who share the tenure. */
    long sharedToken() {
        return nextToken;
    }

    /** Sees to it that no token up to this one is used from now on, here and, with the next renewal, by others. */
    public boolean raise(long token) {
        floor = Math.max(floor, token);
        nextToken = Math.max(nextToken, floor + 1);
        spare = spare != null && spare.last() <= floor ? null : spare;
        return true;
    }

    public long floor() {
        return floor;
    }

    /** Whether the tokens at hand will not last for long at this pace. */
    public boolean tokensLow() {
        return share.mode() != Share.Mode.READ
                && spare == null
                && lastToken - nextToken < Math.max(tokensWanted / 2, LOW_WATER);
    }

    void wantMoreTokens() {
        if (share.mode() != Share.Mode.READ) {
            tokensWanted = Math.min(Math.max(tokensWanted * 4, FIRST_REFILL), LARGEST_REFILL);
        }
    }

    /** The highest token used, for the store to take the rest back; 0 if only one was asked for, or others may have higher ones. */
    long usedUpTo() {
        return tokensWanted > 1 && floor == 0 && !escorted && share.mode() != Share.Mode.UPGRADE ? used : 0;
    }

    void foreign(int count, long now) {
        foreignWaiters = count;
        if (count == 0) {
            sliceStart = Durations.NEVER;
        } else if (sliceStart == Durations.NEVER) {
            sliceStart = now;
        }
    }
}
