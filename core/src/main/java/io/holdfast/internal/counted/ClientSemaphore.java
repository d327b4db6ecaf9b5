package io.holdfast.internal.counted;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.AsyncSemaphore;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Permit;
import io.holdfast.PermitHolder;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.lock.Acquisition;
import io.holdfast.internal.lock.ClientParts;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.spi.Change.Kind;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Share;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The blocking face of a semaphore. Each permit is a hold in a slot of its own. So this class has no state. */
public record ClientSemaphore(ClientParts client, Counting counting, String name, HoldSpec spec)
        implements DistributedSemaphore {

    // ---- number of permits

    @Override
    public boolean trySetPermits(int permits) {
        return change(Kind.TRY_PERMITS, requirePermits(permits));
    }

    @Override
    public void setPermits(int permits) {
        var unused = change(Kind.SET_PERMITS, requirePermits(permits));
    }

    @Override
    public void addPermits(int delta) {
        var unused = change(Kind.ADD_PERMITS, delta);
    }

    @Override
    public boolean delete() {
        return change(Kind.DELETE_PERMITS, 0);
    }

    private boolean change(Kind kind, int amount) {
        return counting.change("semaphore", name, kind, amount, Optional.empty());
    }

    @Override
    public int permits() {
        return report().limit().orElse(0);
    }

    @Override
    public int available() {
        return report().of(name).free();
    }

    @Override
    public List<PermitHolder> holders() {
        return report().holders();
    }

    private PermitReport report() {
        return counting.permits(name);
    }

    private int requirePermits(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException(
                    "semaphore " + quoted(name) + ": " + permits + " permits are out of range: at least 1");
        }
        return permits;
    }

    // ---- acquiring permits

    @Override
    public Permit acquire() throws InterruptedException {
        return acquire(1);
    }

    @Override
    public Permit acquire(int permits) throws InterruptedException {
        return acquire(specFor(permits), Durations.NEVER, true).orElseThrow();
    }

    @Override
    public Optional<Permit> tryAcquire() {
        return tryAcquire(1);
    }

    @Override
    public Optional<Permit> tryAcquire(int permits) {
        return tryNow(specFor(permits));
    }

    @Override
    public Optional<Permit> tryAcquire(int permits, Duration wait) throws InterruptedException {
        return acquire(specFor(permits), Durations.nanos(wait), true);
    }

    @Override
    public Optional<Permit> tryAcquire(int permits, Duration wait, Duration lease) throws InterruptedException {
        return acquire(specFor(permits, lease), Durations.nanos(wait), true);
    }

    @Override
    public Optional<Permit> drain() {
        return tryNow(specForAll());
    }

    HoldSpec specFor(int permits) {
        return spec.withShare(Share.permits(requirePermits(permits)));
    }

    HoldSpec specFor(int permits, Duration lease) {
        return specFor(permits).withOwnLease(Durations.requireLease("semaphore " + quoted(name) + ": lease", lease));
    }

    HoldSpec specForAll() {
        return spec.withShare(Share.freePermits());
    }

    private Optional<Permit> tryNow(HoldSpec requested) {
        return Awaiting.uninterruptibly(() -> acquire(requested, 0, false));
    }

    private Optional<Permit> acquire(HoldSpec requested, long wait, boolean interruptible) throws InterruptedException {
        PermitHandle handle = new PermitHandle(client, name);
        Outcome outcome = new Acquisition(client, name, interruptible).await(requested, wait, handle);
        return outcome.hold().map(hold -> handle.bind(outcome));
    }

    @Override
    public void release(String id) {
        if (!counting.revoke(name, parsed(id))) {
            throw new IllegalMonitorStateException("semaphore " + quoted(name) + ": permit " + quoted(id)
                    + " is not held; it was released, or its lease has ended. holders() lists the held permits");
        }
    }

    private TenureId parsed(String id) {
        try {
            return TenureId.parse(id);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "semaphore " + quoted(name) + ": " + quoted(id) + " is not the id of a permit: pass a Permit.id()",
                    e);
        }
    }

    @Override
    public AsyncSemaphore async() {
        return new ClientAsyncSemaphore(this);
    }

    @Override
    public String toString() {
        return "semaphore " + quoted(name) + " of " + client.settings().name();
    }
}
