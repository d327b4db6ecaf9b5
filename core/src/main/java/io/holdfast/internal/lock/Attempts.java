package io.holdfast.internal.lock;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.engine.Observers;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Platform;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one acquire, blocking or asynchronous. This class decides whether an outcome counts, or another attempt is
 * made.
 *
 * <ol>
 *   <li>A hold counts only if it is valid when its owner receives it. A grant whose lease has ended by then is released, and
 *       the lock is requested again (process pause).
 *   <li>An acquire without time to wait makes one more attempt if the lock may only be lingering. That attempt waits for the
 *       grace period.
 *   <li>An acquire whose grants always come too late fails. It makes at least {@link #MIN_ATTEMPTS} attempts. After these, it
 *       fails when the wait time or the outage time is over.
 * </ol>
 *
 * <p>An attempt starts only after the outcome of the one before, so no lock guards the fields.
 *
 * <p>On the process pause, see M. Kleppmann, "How to do distributed locking", 2016.
 */
public final class Attempts {

    /** The number of attempts that are made even if the wait time is over. */
    private static final int MIN_ATTEMPTS = 3;

    private static final long GRACE_NANOS = 50_000_000;

    final ClientParts client;
    private final Platform platform;
    final String name;
    private final HoldSpec spec;
    private final @Nullable String callSite;
    final Observers.Observed observed;
    final long startNanos;
    private long arrived;
    private long deadline;
    private boolean graceAllowed;
    private int attemptsMade;

    /**
     * Creates the attempts of an acquire that starts now.
     *
     * @param wait the nanoseconds to wait; zero or less for no wait, {@link Durations#NEVER} for no limit
     */
    public Attempts(ClientParts client, String name, HoldSpec spec, long wait) {
        this.client = client;
        this.platform = client.platform();
        this.name = name;
        this.spec = spec;
        this.callSite = client.waits().callSite();
        this.observed = client.observers().acquire(name, spec);
        this.startNanos = platform.nanoTime();
        this.arrived = startNanos;
        this.deadline = wait == Durations.NEVER ? Durations.NEVER : startNanos + Math.max(0, wait);
        this.graceAllowed = wait <= 0;
    }

    /** Disables the attempt with the grace period, and returns these attempts. */
    Attempts withoutGrace() {
        graceAllowed = false;
        return this;
    }

    /** Creates the waiter of the next attempt. */
    Waiter next(@Nullable Thread thread, @Nullable WeakReference<Object> handle, Runnable notifier) {
        attemptsMade++;
        return new Waiter(spec, arrived, deadline, thread, handle, notifier).at(callSite);
    }

    /**
     * Prepares another attempt if this outcome does not count. A hold that came too late is released.
     *
     * @return whether another attempt has to be made; {@code false} if the outcome counts
     * @throws io.holdfast.StoreUnavailableException if the hold came too late, and there is no time for another attempt
     */
    boolean prepareRetry(Outcome outcome) {
        if (outcome instanceof Hold hold && !hold.valid(platform.nanoTime(), platform.wallMillis())) {
            client.holds().releases().discardDoubtful(hold);
            requireTimeLeft();
        } else if (outcome instanceof Outcome.Busy busy && graceAllowed && busy.mayLinger() && !isHeldHere(busy)) {
            graceAllowed = false;
            deadline = platform.nanoTime() + GRACE_NANOS;
        } else {
            return false;
        }
        arrived = platform.nanoTime();
        return true;
    }

    /**
     * Returns {@code true} if this client holds what made the name busy. Otherwise, a tenure of this client is being released, and a
     * store with several connections has received this attempt before the release.
     */
    private boolean isHeldHere(Outcome.Busy busy) {
        return busy.holder().filter(client.holds().validity()::isHeldHere).isPresent();
    }

    private void requireTimeLeft() {
        if (attemptsMade >= MIN_ATTEMPTS && (hasPassed(deadline) || hasPassed(startNanos + client.outage()))) {
            throw client.inspector().tooSlow(name, spec);
        }
    }

    private boolean hasPassed(long time) {
        return time != Durations.NEVER && platform.nanoTime() - time >= 0;
    }
}
