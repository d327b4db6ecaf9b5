package io.holdfast.internal.lock;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import io.holdfast.StoreRefusedException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.BatchOutcome;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.access.LockLocation;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The two blocking faces of a lock, for threads and for leases. It has no state of its own. */
public record ClientLock(ClientParts client, String name, HoldSpec spec, boolean reentrant)
        implements DistributedLock, BatchMember, LockAccess.Source {

    /** A resource of a {@code try} statement whose close throws no checked exception. */
    private interface Ending extends AutoCloseable {

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
        lockUninterruptibly(own(lease));
    }

    private void lockUninterruptibly(HoldSpec wanted) {
        var unused = Awaiting.uninterruptibly(() -> lock(wanted, Durations.NEVER, false));
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
        return lock(own(lease), Durations.nanos(wait), true);
    }

    private boolean lock(HoldSpec wanted, long wait, boolean interruptible) throws InterruptedException {
        Optional<Hold> mine = held();
        if (mine.isEmpty()) {
            return enter(wanted, wait, interruptible).isPresent();
        }
        if (interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        enter(mine.get(), wanted);
        return true;
    }

    /** Acquires the first level, beside the hold that the thread has in another mode of the same read/write lock. */
    private Optional<Hold> enter(HoldSpec wanted, long wait, boolean interruptible) throws InterruptedException {
        refuseToWaitForMyReading(wait);
        Optional<Hold> reading =
                mode() == Mode.WRITE ? other(Mode.UPGRADE).or(() -> other(Mode.READ)) : Optional.empty();
        HoldSpec beside = beside(wanted);
        return reading.isPresent()
                ? upgrade(reading.get(), beside, wait, interruptible)
                : await(beside, wait, interruptible, null).hold();
    }

    /**
     * Acquires the write lock beside the hold under which the thread reads. That hold may be lost during the wait, and others
     * may write then. The store detects the loss first, and refuses the request.
     */
    private Optional<Hold> upgrade(Hold reading, HoldSpec wanted, long wait, boolean interruptible)
            throws InterruptedException {
        Optional<Hold> got;
        try {
            got = await(wanted, wait, interruptible, null).hold();
        } catch (StoreRefusedException e) {
            var unused = client.holds().renewals().confirm(reading);
            client.holds().validity().requireNotLost(reading);
            throw e;
        }
        try {
            client.holds().validity().requireNotLost(reading);
        } catch (Throwable e) {
            got.ifPresent(client.holds().releases()::discard);
            throw e;
        }
        return got;
    }

    private Mode mode() {
        return spec.share().mode();
    }

    private Optional<Hold> held() {
        return client.own().holdOf(name, mode(), Thread.currentThread());
    }

    private void enter(Hold mine, HoldSpec wanted) {
        client.holds().validity().requireNotLost(mine);
        if (!reentrant) {
            throw ErrorTexts.notReentrant(name, Thread.currentThread(), mine);
        }
        client.holds().renewals().reenter(mine, wanted);
    }

    private Outcome await(HoldSpec wanted, long wait, boolean interruptible, @Nullable LeaseHandle handle)
            throws InterruptedException {
        Acquisition acquisition = new Acquisition(client, name, interruptible);
        Thread me = Thread.currentThread();
        if (wait != Durations.NEVER) {
            return acquisition.await(wanted, wait, handle);
        }
        refuseToWaitForMyself(wanted.share(), me);
        Optional<Hold> reading = mode() == Mode.READ && wanted.share().beside().isEmpty()
                ? client.own().heldBy(name, me).findFirst()
                : Optional.empty();
        Outcome outcome = acquisition.await(wanted, reading.isPresent() ? 0 : wait, handle);
        if (outcome instanceof Outcome.Busy && reading.isPresent()) {
            // self-deadlock: a writer waits for the lock that this thread reads under
            throw ErrorTexts.ownLease(name, me, reading.get());
        }
        return outcome;
    }

    private void refuseToWaitForMyself(Share wanted, Thread me) {
        client.own().selfBlockingHold(name, wanted, me).ifPresent(hold -> {
            throw ErrorTexts.ownLease(name, me, hold);
        });
    }

    /**
     * Refuses an untimed wait to write, now or later, while the thread holds the read lock: it would wait for itself. A try or
     * a timed wait asks the store. A reader that may write holds the upgradeable lock instead.
     */
    private void refuseToWaitForMyReading(long wait) {
        boolean writes = mode() == Mode.WRITE
                || (mode() == Mode.UPGRADE && other(Mode.WRITE).isEmpty());
        Optional<Hold> reading = writes ? other(Mode.READ) : Optional.empty();
        reading.ifPresent(client.holds().validity()::requireNotLost);
        if (reading.isPresent() && wait == Durations.NEVER) {
            throw ErrorTexts.upgrade(name, what(), Thread.currentThread(), reading.get());
        }
    }

    /**
     * Adds the thread's hold in another mode of the read/write lock to the request. A thread that holds the write lock or the
     * upgradeable lock may also acquire the other two.
     */
    private HoldSpec beside(HoldSpec wanted) {
        Optional<Hold> mine = switch (mode()) {
            case READ -> other(Mode.WRITE).or(() -> other(Mode.UPGRADE));
            case UPGRADE -> other(Mode.WRITE);
            case WRITE -> other(Mode.UPGRADE);
            case LOCK, PERMITS -> Optional.empty();
        };
        return mine.map(hold -> beside(wanted, hold)).orElse(wanted);
    }

    private Optional<Hold> other(Mode mode) {
        return client.own().holdOf(name, mode, Thread.currentThread());
    }

    private HoldSpec beside(HoldSpec wanted, Hold mine) {
        client.holds().validity().requireNotLost(mine);
        mine.tenure.ownerHoldsAnother = true;
        return wanted.withShare(wanted.share().beside(mine.tenure.id));
    }

    private HoldSpec own(Duration lease) {
        return spec.withOwnLease(Durations.requireLease("lock '" + name + "': lease", lease));
    }

    @Override
    public void unlock() {
        client.holds().releases().unlock(mine());
    }

    private Hold mine() {
        return held().orElseThrow(this::notMine);
    }

    private RuntimeException notMine() {
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
        HoldSpec kept = spec.withMinHold(Durations.requireStorable("lock '" + name + "': minHold", minHold));
        held().ifPresent(this::refuseToRun);
        Optional<Hold> got = Awaiting.uninterruptibly(() -> enter(kept, 0, false));
        got.ifPresent(hold -> {
            try (Ending ending = () -> endOrKeep(hold)) {
                body.run();
            }
        });
        return got.isPresent();
    }

    private void refuseToRun(Hold mine) {
        client.holds().validity().requireNotLost(mine);
        throw ErrorTexts.heldAlready(name, Thread.currentThread(), mine);
    }

    private void endOrKeep(Hold hold) {
        if (hold.ended) {
            throw notMine();
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
        Hold hold = mine();
        client.holds().validity().requireNotLost(hold);
        return hold.token;
    }

    @Override
    public Duration remainingLease() {
        return client.holds().validity().remaining(mine());
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
        long began = client.platform().nanoTime();
        LeaseHandle handle = new LeaseHandle(client, name);
        Outcome outcome = await(spec, Durations.nanos(wait), true, handle);
        if (outcome instanceof Outcome.Busy busy) {
            var error = client.inspector().timeout(name, began, busy);
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
        return lease(own(lease), Durations.nanos(wait), true);
    }

    private Optional<Lease> lease(HoldSpec wanted, long wait, boolean interruptible) throws InterruptedException {
        LeaseHandle handle = new LeaseHandle(client, name);
        Outcome outcome = await(wanted, wait, interruptible, handle);
        return outcome.hold().map(got -> handle.bind(outcome));
    }

    @Override
    public AsyncLock<Lease> async() {
        return async(spec);
    }

    private ClientAsyncLock async(HoldSpec wanted) {
        return new ClientAsyncLock(client, name, wanted, client.tasks().callbacks());
    }

    // ---- as a member of a multi-lock

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
    public boolean goesWith(BatchMember next) {
        return next instanceof ClientLock other
                && other.client.waits() == client.waits()
                && goesWithOthers()
                && other.goesWithOthers()
                && client.waits().canBatch(name, other.name);
    }

    /**
     * Returns {@code true} if this lock may be requested together with others. That holds for a lock that is not fair, and of
     * which this client has no slot. Such a lock can only be acquired from the store, at once or not at all.
     */
    private boolean goesWithOthers() {
        return mode() == Mode.LOCK
                && spec.waiting() != HoldSpec.Waiting.FAIR
                && !client.own().isInUse(name);
    }

    @Override
    public BatchOutcome ask(List<BatchMember> neighbours, MemberSpec wish, Duration wait) throws InterruptedException {
        if (neighbours.size() == 1) {
            return BatchOutcome.alone(askAlone(wish, wait));
        }
        List<LeaseHandle> handles = wish.leased() ? handles(neighbours) : List.of();
        return new BatchAcquire(client, locks(neighbours), wish, Thread.currentThread(), handles).await(handles);
    }

    private Optional<List<Lease>> askAlone(MemberSpec wish, Duration wait) throws InterruptedException {
        if (!wish.tries()) {
            return Optional.of(List.of(acquire(wait)));
        }
        if (wish.leased()) {
            return lease(wanted(wish), Durations.nanos(wait), wish.interruptible())
                    .map(List::of);
        }
        boolean locked = lock(wanted(wish), Durations.nanos(wait), wish.interruptible());
        return locked ? Optional.of(List.of()) : Optional.empty();
    }

    @Override
    public CompletableFuture<BatchOutcome> asking(List<BatchMember> neighbours, MemberSpec wish, Duration wait) {
        if (neighbours.size() == 1) {
            return async(wanted(wish)).asMember(Durations.nanos(wait), wish.tries());
        }
        List<LeaseHandle> handles = handles(neighbours);
        return new BatchAcquire(client, locks(neighbours), wish, null, handles).start(handles);
    }

    HoldSpec wanted(MemberSpec wish) {
        return wish.lease().map(this::own).orElse(spec);
    }

    private static List<ClientLock> locks(List<BatchMember> neighbours) {
        return neighbours.stream().map(ClientLock.class::cast).toList();
    }

    private List<LeaseHandle> handles(List<BatchMember> neighbours) {
        return locks(neighbours).stream()
                .map(lock -> new LeaseHandle(client, lock.name))
                .toList();
    }

    private String what() {
        return switch (mode()) {
            case READ -> "read lock";
            case WRITE -> "write lock";
            case UPGRADE -> "upgradeable read lock";
            case LOCK, PERMITS -> "lock";
        };
    }

    @Override
    public LockAccess server() {
        return new EngineLockAccess(client, name, spec.withoutMaxHold(), new EngineClientAccess(client));
    }

    @Override
    public String toString() {
        return what() + " '" + name + "' of " + client.settings().name() + ", here "
                + client.inspector().heldHere(name);
    }
}
