package io.holdfast.internal.lock;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Platform;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A blocking acquire. It makes one attempt after the other, each with a new waiter, until an outcome counts.
 *
 * <ol>
 *   <li>{@link Attempts} decides which outcome counts.
 *   <li>A thread parks only if it was not notified since its last check. The park permit alone proves nothing, because another
 *       lock may have consumed it (lost wake-up).
 *   <li>A wait that fails with an error withdraws its waiter first. So no grant is left without an owner (orphan).
 *   <li>An interrupt that does not end the wait is preserved.
 * </ol>
 *
 * <p>The loop is that of {@link java.util.concurrent.locks.AbstractQueuedSynchronizer}: check, park, check again.
 */
public final class Acquisition {

    private final ClientParts client;
    private final Platform platform;
    private final String name;
    private final boolean interruptible;
    private boolean interrupted;

    public Acquisition(ClientParts client, String name, boolean interruptible) {
        this.client = client;
        this.platform = client.platform();
        this.name = name;
        this.interruptible = interruptible;
    }

    /**
     * Waits for the lock, for at most the given time. With zero or less it does not wait, except for the grace period if the
     * lock may only be lingering.
     */
    public Outcome await(HoldSpec spec, long waitNanos, @Nullable LeaseHandle handle) throws InterruptedException {
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread me = Thread.currentThread();
        try {
            return observe(new Attempts(client, name, spec, waitNanos), handle == null ? null : handle.reference(), me);
        } finally {
            if (interrupted) {
                me.interrupt();
            }
        }
    }

    private Outcome observe(Attempts attempts, @Nullable WeakReference<Object> handle, Thread me)
            throws InterruptedException {
        try {
            Outcome outcome = await(attempts, handle, me);
            observe(attempts, outcome);
            return outcome;
        } catch (InterruptedException e) {
            attempts.observed.withdrawn();
            throw e;
        } catch (Throwable e) {
            attempts.observed.failed(e);
            throw e;
        }
    }

    /** Reports the outcome to observers. A thread that fails here, for example out of stack, does not keep the hold. */
    private void observe(Attempts attempts, Outcome outcome) {
        try {
            attempts.observed.ended(outcome);
        } catch (Throwable e) {
            if (outcome instanceof Hold hold) {
                client.holds().releases().discard(hold);
            }
            throw e;
        }
    }

    private Outcome await(Attempts attempts, @Nullable WeakReference<Object> handle, Thread me)
            throws InterruptedException {
        while (true) {
            Outcome outcome = attempt(attempts.next(me, handle, () -> platform.unpark(me)));
            if (!attempts.prepareRetry(outcome)) {
                return outcome;
            }
        }
    }

    private Outcome attempt(Waiter waiter) throws InterruptedException {
        Slot slot = client.waits().arrive(name, waiter);
        try {
            return awaitOutcome(slot, waiter);
        } catch (Throwable e) {
            // orphan: otherwise the waiter of a failed thread (out of memory, out of stack, stopped) could still be
            // granted the lock, and would hold it forever
            client.waits().cancel(slot, waiter);
            throw e;
        }
    }

    private Outcome awaitOutcome(Slot slot, Waiter waiter) throws InterruptedException {
        Outcome outcome = waiter.outcome;
        while (outcome == null) {
            parkAndCheck(slot, waiter);
            outcome = waiter.outcome;
        }
        return outcome;
    }

    private void parkAndCheck(Slot slot, Waiter waiter) throws InterruptedException {
        long left = timeLeft(slot, waiter);
        // lost wake-up: another lock that this thread waited for in between may have consumed the park permit
        if (!waiter.notified) {
            platform.park(slot, left);
        }
        waiter.notified = false;
        if (Thread.interrupted()) {
            onInterrupt(slot, waiter);
        }
        if (waiter.outcome == null) {
            client.waits().take(slot, waiter);
        }
    }

    /**
     * Returns how long to park. If the deadline has passed, the waiter times out. The thread then parks without a limit until
     * the outstanding answer arrives.
     */
    private long timeLeft(Slot slot, Waiter waiter) {
        if (waiter.deadline == Durations.NEVER) {
            return Durations.NEVER;
        }
        long now = platform.nanoTime();
        if (waiter.deadline - now > 0) {
            return waiter.deadline - now;
        }
        client.waits().timeOut(slot, waiter);
        return Durations.NEVER;
    }

    /**
     * Withdraws the waiter if the wait is interruptible. If the lock was granted in the meantime, the grant counts, and the
     * interrupt is preserved.
     */
    private void onInterrupt(Slot slot, Waiter waiter) throws InterruptedException {
        if (interruptible && client.waits().withdraw(slot, waiter)) {
            throw new InterruptedException();
        }
        interrupted = true;
    }
}
