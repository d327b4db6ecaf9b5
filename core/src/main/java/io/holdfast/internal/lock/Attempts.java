package io.holdfast.internal.lock;

import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Platform;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one acquire. It decides, for a blocked thread and for a future alike, whether an outcome counts or another
 * attempt is made.
 *
 * <ol>
 *   <li>A hold counts only if it is valid when its owner learns of it. A grant whose lease has ended by then is released and
 *       requested again (process pause).
 *   <li>An acquire without time to wait makes one more attempt if the lock may only be lingering. That attempt waits for the
 *       grace period.
 *   <li>An acquire whose grants keep coming too late fails. After a few attempts, none is made when the time is up, or when
 *       the outage time has passed.
 * </ol>
 *
 * <p>An attempt starts only after the outcome of the one before, so nothing here is guarded.
 */
public final class Attempts {

    /** The attempts that are made even if the time is up. */
    private static final int AFTER_TIME = 3;

    private static final long GRACE_NANOS = 50_000_000;

    final ClientParts client;
    private final Platform platform;
    final String name;
    private final HoldSpec spec;
    private final @Nullable String place;
    final long began;
    private long arrived;
    private long deadline;
    private boolean mayGetGrace;
    private int made;

    /**
     * Begins an acquire.
     *
     * @param wait the nanoseconds to wait; zero or less means not to wait
     */
    public Attempts(ClientParts client, String name, HoldSpec spec, long wait) {
        this.client = client;
        this.platform = client.platform();
        this.name = name;
        this.spec = spec;
        this.place = client.waits().callSite();
        this.began = platform.nanoTime();
        this.arrived = began;
        this.deadline = wait == Durations.NEVER ? Durations.NEVER : began + Math.max(0, wait);
        this.mayGetGrace = wait <= 0;
    }

    /** Leaves out the attempt with the grace period, and returns these attempts. */
    Attempts withoutGrace() {
        mayGetGrace = false;
        return this;
    }

    /** Creates the waiter of the next attempt. */
    Waiter next(@Nullable Thread thread, @Nullable WeakReference<Object> handle, Runnable teller) {
        made++;
        return new Waiter(spec, arrived, deadline, thread, handle, teller).at(place);
    }

    /**
     * Returns {@code true} if another attempt is to be made after this outcome. A hold that came too late is released.
     *
     * @throws io.holdfast.StoreUnavailableException if the hold came too late, and there is no time for another attempt
     */
    boolean goOn(Outcome outcome) {
        if (outcome instanceof Hold hold && !hold.valid(platform.nanoTime(), platform.wallMillis())) {
            client.holds().releases().discardDoubtful(hold);
            requireTime();
        } else if (outcome instanceof Outcome.Busy busy && mayGetGrace && busy.mayLingerElsewhere(client.id())) {
            mayGetGrace = false;
            deadline = platform.nanoTime() + GRACE_NANOS;
        } else {
            return false;
        }
        arrived = platform.nanoTime();
        return true;
    }

    private void requireTime() {
        if (made >= AFTER_TIME && (isUp(deadline) || isUp(began + client.outage()))) {
            throw client.inspector().tooSlow(name, spec);
        }
    }

    private boolean isUp(long time) {
        return time != Durations.NEVER && platform.nanoTime() - time >= 0;
    }
}
