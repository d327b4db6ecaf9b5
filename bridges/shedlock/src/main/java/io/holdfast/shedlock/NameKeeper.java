package io.holdfast.shedlock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The second lock of a name, which is held from the unlock until {@code lockAtLeastFor} has passed.
 *
 * <p>It is acquired while the first lock is held, and checked by the next owner after it has acquired the first lock. So no
 * owner passes between the two. The store counts its time, so it outlives the client and the process.
 */
final class NameKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(NameKeeper.class);

    /** The shortest time for which a store can keep a name. */
    private static final Duration SHORTEST = Duration.ofMillis(100);

    private final Holdfast holdfast;
    private final String name;

    NameKeeper(Holdfast holdfast, String name) {
        this.holdfast = holdfast;
        // refuses a bad name before the first lock is acquired
        this.name = holdfast.lock(name).name();
    }

    /** Returns {@code true} if the name is not kept. Otherwise, or if the answer is not known, releases the first lock. */
    boolean isFreeOrRelease(Lease acquired) {
        try {
            if (!holdfast.lock(name).isLocked()) {
                return true;
            }
        } catch (RuntimeException e) {
            release(acquired);
            throw e;
        }
        release(acquired);
        return false;
    }

    private static void release(Lease acquired) {
        try {
            acquired.close();
        } catch (LeaseLostException e) {
            LOG.debug("{}: ended during the check of lockAtLeastFor", acquired, e);
        }
    }

    /**
     * Keeps the name for the given time, and releases the first lock. If the store does not answer, the first lock keeps the
     * name instead: this process releases it when the time is up.
     */
    void keep(Duration time, Lease held) {
        Duration kept = time.compareTo(SHORTEST) < 0 ? SHORTEST : time;
        try {
            holdfast.lock(name, LockOptions.defaults().withLease(kept)).runOnce(kept, () -> {});
        } catch (HoldfastException e) {
            LOG.warn(
                    "{}: the store did not confirm lockAtLeastFor. This process releases the lock in {} ms",
                    held,
                    time.toMillis(),
                    e);
            closeLater(time, held);
            return;
        } catch (LeaseLostException e) {
            LOG.debug("{}: ended before this process went on", quoted(name), e);
        }
        held.close();
    }

    private static void closeLater(Duration time, Lease held) {
        CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS).execute(() -> {
            var unused = held.closeAsync().whenComplete((nothing, failure) -> {
                if (failure != null) {
                    LOG.warn("{}: the release after lockAtLeastFor failed", held, failure);
                }
            });
        });
    }
}
