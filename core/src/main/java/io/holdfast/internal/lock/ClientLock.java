package io.holdfast.internal.lock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.access.LockLocation;
import io.holdfast.internal.access.LockMember;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The two blocking faces of a lock, one for threads and one for leases. Its state is in the slots of the client. */
public record ClientLock(ClientParts client, String name, HoldSpec spec, boolean reentrant)
        implements DistributedLock, LockMember, LockAccess.Source {

    /** A resource whose close throws no checked exception. */
    private interface Closing extends AutoCloseable {

        @Override
        void close();
    }

    // ---- thread face

    @Override
    public void lock() {
        lockUninterruptibly(spec);
    }

    @Override
    public void lock(Duration lease) {
        lockUninterruptibly(withLease(lease));
    }

    private void lockUninterruptibly(HoldSpec requested) {
        var unused = Awaiting.uninterruptibly(() -> lock(requested, Durations.NEVER, false));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock(spec, Durations.NEVER, true);
    }

    @Override
    public boolean tryLock() {
        return Awaiting.uninterruptibly(() -> lock(spec, 0, false));
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return lock(spec, Durations.nanos(wait), true);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return lock(withLease(lease), Durations.nanos(wait), true);
    }

    private boolean lock(HoldSpec requested, long wait, boolean interruptible) throws InterruptedException {
        Optional<Hold> own = held();
        if (own.isEmpty()) {
            return lockFirst(requested, wait, interruptible).isPresent();
        }
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        reenter(own.get(), requested);
        return true;
    }

    /** Acquires the first level. The thread may hold the same read/write lock in another mode at the same time. */
    private Optional<Hold> lockFirst(HoldSpec requested, long wait, boolean interruptible) throws InterruptedException {
        Optional<Hold> reading = mode() == Mode.WRITE ? holdIn(Mode.READ) : Optional.empty();
        reading.ifPresent(hold -> refuseEndlessWait(hold, wait));
        Optional<Hold> acquired =
                await(besideOwnWriting(requested), wait, interruptible, null).hold();
        try {
            // without the read hold, another owner may have written during the wait
            reading.ifPresent(client.holds().validity()::requireNotLost);
        } catch (Throwable e) {
            acquired.ifPresent(client.holds().releases()::discard);
            throw e;
        }
        return acquired;
    }

    private Mode mode() {
        return spec.share().mode();
    }

    private Optional<Hold> held() {
        return holdIn(mode());
    }

    private void reenter(Hold own, HoldSpec requested) {
        client.holds().validity().requireNotLost(own);
        if (!reentrant) {
            throw ErrorTexts.notReentrant(name, Thread.currentThread(), own);
        }
        client.holds().renewals().reenter(own, requested);
    }

    private Outcome await(HoldSpec requested, long wait, boolean interruptible, @Nullable LeaseHandle handle)
            throws InterruptedException {
        Acquisition acquisition = new Acquisition(client, name, interruptible);
        Thread me = Thread.currentThread();
        if (wait != Durations.NEVER) {
            return acquisition.await(requested, wait, handle);
        }
        refuseSelfDeadlock(requested.share(), me);
        Optional<Hold> own = mode() == Mode.READ && requested.share().beside().isEmpty()
                ? client.ownHolds().heldBy(name, me).findFirst()
                : Optional.empty();
        Outcome outcome = acquisition.await(requested, own.isPresent() ? 0 : wait, handle);
        if (outcome instanceof Outcome.Busy && own.isPresent()) {
            // self-deadlock: a writer waits until this thread releases its read lock
            throw ErrorTexts.ownLease(name, me, own.get());
        }
        return outcome;
    }

    private void refuseSelfDeadlock(Share requested, Thread me) {
        client.ownHolds().selfBlockingHold(name, requested, me).ifPresent(hold -> {
            throw ErrorTexts.ownLease(name, me, hold);
        });
    }

    /**
     * Refuses an untimed wait for the write lock while the thread holds the read lock, because the thread would wait for itself.
     * A try or a timed wait is sent to the store.
     */
    private void refuseEndlessWait(Hold reading, long wait) {
        client.holds().validity().requireNotLost(reading);
        if (wait == Durations.NEVER) {
            throw ErrorTexts.readsAlready(name, Thread.currentThread(), reading);
        }
    }

    /** Adds the thread's hold of the write lock to a request of the read lock, so that the two do not conflict. */
    private HoldSpec besideOwnWriting(HoldSpec requested) {
        return mode() == Mode.READ
                ? holdIn(Mode.WRITE).map(own -> beside(own, requested)).orElse(requested)
                : requested;
    }

    private HoldSpec beside(Hold own, HoldSpec requested) {
        client.holds().validity().requireNotLost(own);
        own.tenure.ownerHoldsAnother = true;
        return requested.withShare(requested.share().beside(own.tenure.id));
    }

    private Optional<Hold> holdIn(Mode mode) {
        return client.ownHolds().holdOf(name, mode, Thread.currentThread());
    }

    private HoldSpec withLease(Duration lease) {
        return spec.withOwnLease(Durations.requireLease("lock " + quoted(name) + ": lease", lease));
    }

    @Override
    public void unlock() {
        startUnlock().run();
    }

    @Override
    public Runnable startUnlock() {
        return client.holds().releases().startUnlock(requireHeld());
    }

    private Hold requireHeld() {
        return held().orElseThrow(this::notOwner);
    }

    private RuntimeException notOwner() {
        if (client.tasks().isClosed()) {
            return ErrorTexts.closedMeanwhile(mode(), name, client.settings().name());
        }
        String held = client.inspector().heldHere(name);
        return ErrorTexts.notOwner(
                name, Thread.currentThread(), held, client.settings().name());
    }

    @Override
    @SuppressWarnings("try")
    public boolean runOnce(Duration minHold, Runnable body) {
        Objects.requireNonNull(body, "body");
        HoldSpec requested = spec.withMinHold(Durations.requireStorable("lock " + quoted(name) + ": minHold", minHold));
        held().ifPresent(this::refuseNestedRun);
        Optional<Hold> acquired = Awaiting.uninterruptibly(() -> lockFirst(requested, 0, false));
        acquired.ifPresent(hold -> {
            try (Closing ending = () -> keepUntilMinHold(hold)) {
                body.run();
            }
        });
        return acquired.isPresent();
    }

    private void refuseNestedRun(Hold own) {
        client.holds().validity().requireNotLost(own);
        throw ErrorTexts.heldAlready(name, Thread.currentThread(), own);
    }

    private void keepUntilMinHold(Hold hold) {
        if (hold.ended) {
            client.observers().released(hold);
            long left = hold.minHoldLeft(client.platform().nanoTime());
            throw client.tasks().isClosed() && left > 0
                    ? ErrorTexts.closedDuringRun(name, client.settings().name(), left)
                    : notOwner();
        }
        client.holds().releases().releaseWhenDue(hold);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return held().isPresent();
    }

    @Override
    public int holdCount() {
        return held().map(Hold::depth).orElse(0);
    }

    @Override
    public boolean isValid() {
        return held().filter(client.holds().validity()::valid).isPresent();
    }

    @Override
    public long fencingToken() {
        Hold hold = requireHeld();
        client.holds().validity().requireNotLost(hold);
        return hold.token;
    }

    @Override
    public Duration remainingLease() {
        return client.holds().validity().remaining(requireHeld());
    }

    // ---- for any caller

    @Override
    public Optional<LockReport.Holder> holder() {
        return client.inspector().inspect(name).holder();
    }

    @Override
    public boolean forceUnlock() {
        return client.inspector().forceRelease(name).isPresent();
    }

    // ---- lease face

    @Override
    public Lease acquire() throws InterruptedException {
        return lease(spec, Durations.NEVER, true).orElseThrow();
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        long startNanos = client.platform().nanoTime();
        LeaseHandle handle = new LeaseHandle(client, name);
        Outcome outcome = await(spec, Durations.nanos(wait), true, handle);
        if (outcome instanceof Outcome.Busy busy) {
            var error = client.inspector().timeout(name, startNanos, busy);
            Awaiting.done(client.platform(), error, Durations.NEVER);
            throw error.join();
        }
        return handle.bind(outcome);
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return Awaiting.uninterruptibly(() -> lease(spec, 0, false));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return lease(spec, Durations.nanos(wait), true);
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait, Duration lease) throws InterruptedException {
        return lease(withLease(lease), Durations.nanos(wait), true);
    }

    private Optional<Lease> lease(HoldSpec requested, long wait, boolean interruptible) throws InterruptedException {
        LeaseHandle handle = new LeaseHandle(client, name);
        Outcome outcome = await(requested, wait, interruptible, handle);
        return outcome.hold().map(hold -> handle.bind(outcome));
    }

    @Override
    public AsyncLock<Lease> async() {
        return async(spec, client.tasks().callbacks());
    }

    private ClientAsyncLock async(HoldSpec requested, Executor executor) {
        return new ClientAsyncLock(client, name, requested, executor);
    }

    // ---- member of a multi-lock

    @Override
    public LockLocation location() {
        return new LockLocation(
                client.settings().store().keyPrefix() + name, client.inspector().store());
    }

    @Override
    public Platform platform() {
        return client.platform();
    }

    @Override
    public boolean enter(MemberSpec how, Duration wait) throws InterruptedException {
        return lock(specFor(how), Durations.nanos(wait), how.interruptible());
    }

    @Override
    public Optional<Lease> lease(MemberSpec how, Duration wait) throws InterruptedException {
        return how.tries()
                ? lease(specFor(how), Durations.nanos(wait), how.interruptible())
                : Optional.of(acquire(wait));
    }

    @Override
    public CompletableFuture<Optional<Lease>> leaseAsync(MemberSpec how, Duration wait) {
        return async(specFor(how), client.tasks().background()).asMember(Durations.nanos(wait), how.tries());
    }

    private HoldSpec specFor(MemberSpec how) {
        return how.lease().map(this::withLease).orElse(spec);
    }

    private String noun() {
        return switch (mode()) {
            case READ -> "read lock";
            case WRITE -> "write lock";
            case LOCK, PERMITS -> "lock";
        };
    }

    @Override
    public LockAccess lockAccess() {
        return new EngineLockAccess(client, name, spec.withoutMaxHold(), new EngineClientAccess(client));
    }

    @Override
    public String toString() {
        return noun() + " " + quoted(name) + " of " + client.settings().name() + ", here "
                + client.inspector().heldHere(name);
    }
}
