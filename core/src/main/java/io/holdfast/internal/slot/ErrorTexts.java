package io.holdfast.internal.slot;

import static io.holdfast.spi.Names.printable;
import static io.holdfast.spi.Names.quoted;

import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockReport;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.ThreadNames;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.Optional;

/** The error texts. Each names the lock, what happened, and what to do. */
public final class ErrorTexts {

    private ErrorTexts() {}

    public static LeaseLostException lost(Hold hold, String reason) {
        return new LeaseLostException(
                hold.slot.name,
                hold.token,
                hold.slot.label() + ": " + hold.owner() + " lost its hold (token " + hold.token + "): " + reason
                        + ". Another owner may hold the " + held(hold.slot.share.mode())
                        + "; undo or fence what was done under it");
    }

    /** Returns the users' word for the kind of lock. */
    static String kind(Share.Mode mode) {
        return switch (mode) {
            case LOCK -> "lock";
            case READ, WRITE -> "read/write lock";
            case PERMITS -> "semaphore";
        };
    }

    /** Returns the users' word for what an owner holds. */
    public static String held(Share.Mode mode) {
        return mode == Share.Mode.PERMITS ? "permit" : kind(mode);
    }

    /** Returns the kind and the name. */
    public static String label(Share.Mode mode, String name) {
        return kind(mode) + " " + quoted(name);
    }

    public static LeaseLostException closedLease(Hold hold) {
        return new LeaseLostException(
                hold.slot.name,
                hold.token,
                hold.slot.label() + ": this " + handle(hold) + " is closed (token " + hold.token
                        + "): its owner released it. Acquire another one");
    }

    private static String handle(Hold hold) {
        return hold.slot.share.mode() == Share.Mode.PERMITS ? "permit" : hold.owner();
    }

    public static IllegalMonitorStateException notOwner(String name, Thread thread, String held, String client) {
        return new IllegalMonitorStateException("lock " + quoted(name) + " is not held by " + ThreadNames.named(thread)
                + ": in this client (" + client + ") it is " + held
                + ". Unlock in the thread that locked, once for each lock()");
    }

    /** Returns the error for a request that was certainly not applied. */
    public static HoldfastException failure(String name, String text, StoreException cause) {
        return cause.effect() == StoreException.Effect.REFUSED
                ? new StoreRefusedException(name, text, cause)
                : new StoreUnavailableException(name, text, cause);
    }

    /** Returns the failure of a request that the store has refused as late. */
    public static StoreException tooLate(String store, Duration timeout) {
        return new StoreException(
                StoreException.Effect.NOT_APPLIED,
                "requests reach " + store + " too late: they take longer than the command timeout of "
                        + timeout.toMillis() + " ms, or its clock was changed");
    }

    /** Creates the error for a waiter whose patience with the store is over. */
    public static HoldfastException notAcquired(
            String name, Waiter waiter, Tenure requested, StoreException cause, String store, long now) {
        boolean earlier = requested.outcomeUnknown() && !cause.effect().mayBeApplied();
        String after = " after " + (now - waiter.arrived) / 1_000_000 + " ms: "
                + (earlier ? "an earlier request has no answer, and the last one failed: " : "") + cause.getMessage();
        String label = label(requested.share.mode(), name);
        return requested.outcomeUnknown()
                ? new IndeterminateLockException(
                        name,
                        label + ": outcome unknown" + after + ". You do not hold it; " + store
                                + " may have granted it, and any grant is being released",
                        cause)
                : failure(name, label + " was not acquired" + after, cause);
    }

    /** Creates the error for a hold whose own lease ends before the requested time. */
    public static IllegalStateException endsBefore(Hold hold, Duration left, Duration atLeast) {
        return new IllegalStateException(hold.slot.label() + ": its own lease ends in " + left.toMillis()
                + " ms, before the requested " + atLeast.toMillis() + " ms; "
                + (hold.stopped() ? "it is not renewed, because it was held for longer than maxHold" : "extend it"));
    }

    /** Creates the error for a hold whose end cannot be moved. */
    public static IllegalStateException notExtensible(Hold hold) {
        return new IllegalStateException(hold.slot.label() + ": "
                + (hold.stopped()
                        ? "this lease was held for longer than maxHold, so it can no longer be extended"
                        : "the watchdog renews this lease, so there is nothing to extend"));
    }

    public static IllegalStateException closed(String label, String client) {
        return new IllegalStateException(label + ": the client " + client + " is closed");
    }

    /** Returns the error for an owner whose hold was released by the close of its client. */
    public static IllegalStateException closedMeanwhile(Share.Mode mode, String name, String client) {
        return new IllegalStateException(label(mode, name) + " is no longer held: the client " + client
                + " was closed, which released everything that it held. Another owner may hold the " + held(mode)
                + "; close a client only after the work that needs its " + held(mode) + "s has ended");
    }

    /** Returns the error for the end of a {@code runOnce} whose client was closed before. */
    public static IllegalStateException closedDuringRun(String name, String client, long nanosLeft) {
        return new IllegalStateException("lock " + quoted(name) + ": the client " + client
                + " was closed during runOnce. The name stays taken until the time of the run is up, in "
                + nanosLeft / 1_000_000 + " ms; close a client only after its work has ended");
    }

    public static IllegalStateException ownLease(String name, Thread thread, Hold hold) {
        return new IllegalStateException("lock " + quoted(name) + ": " + ThreadNames.named(thread)
                + " would wait for itself: it already holds the lock, as " + hold.owner() + " (token " + hold.token
                + "); release that hold first");
    }

    public static IllegalStateException readsAlready(String name, Thread thread, Hold reading) {
        return new IllegalStateException("read/write lock " + quoted(name) + ": " + ThreadNames.named(thread)
                + " holds its read lock (token " + reading.token
                + "), so it would wait for itself to acquire the write lock."
                + " Unlock the read lock first, and repeat all checks after the write lock is acquired");
    }

    public static IllegalStateException notReentrant(String name, Thread thread, Hold hold) {
        return new IllegalStateException("lock " + quoted(name) + ": " + ThreadNames.named(thread)
                + " already holds it (token " + hold.token
                + "), and the option withReentrant(false) forbids locking it again: it would wait for itself."
                + " Unlock first, or remove the option");
    }

    public static IllegalStateException heldAlready(String name, Thread thread, Hold hold) {
        return new IllegalStateException("lock " + quoted(name) + ": " + ThreadNames.named(thread)
                + " already holds it (token " + hold.token + "), so runOnce would exclude nobody. Unlock first");
    }

    public static String busy(
            String name, long waitedMillis, Optional<LockReport> report, Optional<String> holder, String store) {
        String who = report.flatMap(LockReport::holder)
                .map(h -> "held by " + printable(h.toString()))
                .orElseGet(() -> holder.map(h -> "held by " + printable(h)).orElse("held, or just released"));
        String waiters =
                report.map(r -> "; clients waiting: " + r.waiters().size()).orElse("");
        return "lock " + quoted(name) + " was not acquired within " + waitedMillis + " ms: " + who + waiters
                + "; store " + store;
    }
}
