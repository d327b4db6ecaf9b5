package io.holdfast.redisson.api;

import io.holdfast.DistributedSemaphore;
import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.PermitHolder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;

/** The methods of a semaphore whose permits have ids. */
final class PermitCalls extends PermitCounts {

    private static final long PERMANENT = -1;

    /** A permit that this client acquired, until it is released or lost. */
    record Own(Permit permit, boolean fixed) {}

    private final Map<String, Own> held;

    PermitCalls(DistributedSemaphore semaphore, Map<String, Own> held) {
        super(semaphore);
        this.held = held;
    }

    // ---- acquiring

    public String acquire() throws InterruptedException {
        return acquire(0, null);
    }

    public String acquire(long lease, @Nullable TimeUnit unit) throws InterruptedException {
        Optional<Duration> fixed = Times.lease(lease, unit);
        Permit permit = fixed.isPresent()
                ? semaphore.tryAcquire(1, Times.FOREVER, fixed.get()).orElseThrow()
                : semaphore.acquire();
        return keep(permit, fixed.isPresent());
    }

    public @Nullable String tryAcquire() {
        return keep(semaphore.tryAcquire(), false);
    }

    public @Nullable String tryAcquire(long wait, TimeUnit unit) throws InterruptedException {
        return tryAcquire(wait, 0, unit);
    }

    public @Nullable String tryAcquire(long wait, long lease, TimeUnit unit) throws InterruptedException {
        Optional<Duration> fixed = Times.lease(lease, unit);
        Duration limit = Times.of(wait, unit);
        Optional<Permit> permit =
                fixed.isPresent() ? semaphore.tryAcquire(1, limit, fixed.get()) : semaphore.tryAcquire(1, limit);
        return keep(permit, fixed.isPresent());
    }

    private @Nullable String keep(Optional<Permit> permit, boolean fixed) {
        return permit.map(granted -> keep(granted, fixed)).orElse(null);
    }

    private String keep(Permit permit, boolean fixed) {
        held.put(permit.id(), new Own(permit, fixed));
        permit.onLost(loss -> held.remove(permit.id()));
        return permit.id();
    }

    public RFuture<@Nullable String> acquireAsync() {
        return acquireAsync(0, null);
    }

    public RFuture<@Nullable String> acquireAsync(long lease, @Nullable TimeUnit unit) {
        return request(Times.FOREVER, Times.lease(lease, unit));
    }

    public RFuture<@Nullable String> tryAcquireAsync() {
        return request(Duration.ZERO, Optional.empty());
    }

    public RFuture<@Nullable String> tryAcquireAsync(long wait, TimeUnit unit) {
        return tryAcquireAsync(wait, 0, unit);
    }

    public RFuture<@Nullable String> tryAcquireAsync(long wait, long lease, TimeUnit unit) {
        return request(Times.of(wait, unit), Times.lease(lease, unit));
    }

    private RFuture<@Nullable String> request(Duration wait, Optional<Duration> fixed) {
        return Background.granted(
                fixed.isPresent()
                        ? semaphore.async().tryAcquire(1, wait, fixed.get())
                        : semaphore.async().tryAcquire(1, wait),
                permit -> keep(permit, fixed.isPresent()),
                this::undo);
    }

    private void undo(Permit permit) {
        held.remove(permit.id());
        var unused = permit.closeAsync();
    }

    // ---- releasing

    @InBackground
    public void release(String id) {
        Own own = held.remove(id);
        try {
            if (own != null) {
                own.permit.close();
            } else {
                semaphore.release(id);
            }
        } catch (IllegalMonitorStateException e) {
            throw new IllegalArgumentException(this + ": permit " + id + " is not held; it was released or lost", e);
        }
    }

    @InBackground
    public boolean tryRelease(String id) {
        try {
            release(id);
            return true;
        } catch (IllegalArgumentException e) {
            // false is the answer for a permit that is not held
            return false;
        }
    }

    // ---- leases

    /** Moves the end of a permit that this client acquired with a fixed lease; never to an earlier time. */
    @InBackground
    public boolean updateLeaseTime(String id, long lease, TimeUnit unit) {
        Optional<Own> own = Optional.ofNullable(held.get(id));
        Optional<Duration> fixed = Times.lease(lease, unit);
        if (own.isPresent() && own.get().fixed && fixed.isPresent()) {
            return extended(own.get().permit, fixed.get());
        }
        if (own.isPresent() ? own.get().fixed || fixed.isPresent() : holder(id).isPresent()) {
            throw new UnsupportedOperationException(this + ": the lease of permit " + id + " can only be set by the"
                    + " client that acquired it, with a lease, to another lease");
        }
        return own.isPresent();
    }

    private static boolean extended(Permit permit, Duration lease) {
        try {
            permit.extend(lease);
            return true;
        } catch (LeaseLostException e) {
            // false is the answer for a permit that is not held
            return false;
        }
    }

    /** Returns the rest of the lease in milliseconds; -1 for a permit that this client renews. */
    @InBackground
    public long getLeaseTime(String id) {
        Own own = held.get(id);
        if (own != null && !own.fixed) {
            return PERMANENT;
        }
        return holder(id)
                .orElseThrow(() ->
                        new IllegalArgumentException(this + ": permit " + id + " is not held; it was released or lost"))
                .remainingLease()
                .toMillis();
    }

    private Optional<PermitHolder> holder(String id) {
        return semaphore.holders().stream()
                .filter(holder -> holder.id().equals(id))
                .findFirst();
    }

    // ---- number of permits

    @InBackground
    public int getPermits() {
        return semaphore.permits();
    }

    @InBackground
    public int acquiredPermits() {
        return semaphore.holders().stream().mapToInt(PermitHolder::count).sum();
    }

    @InBackground
    public void setPermits(int permits) {
        semaphore.setPermits(permits);
    }
}
