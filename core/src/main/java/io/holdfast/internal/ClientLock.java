package io.holdfast.internal;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** Both blocking faces of a lock name: no state of its own. */
final class ClientLock implements DistributedLock {

    private final Engine engine;
    private final String name;
    private final Term term;

    ClientLock(Engine engine, String name, Term term) {
        this.engine = engine;
        this.name = name;
        this.term = term;
    }

    @Override
    public String name() {
        return name;
    }

    // ---- thread face

    @Override
    public void lock() {
        lockUninterruptibly(term);
    }

    @Override
    public void lock(Duration lease) {
        lockUninterruptibly(own(lease));
    }

    private void lockUninterruptibly(Term wanted) {
        var unused = uninterruptibly(() -> lock(wanted, Tenure.NEVER, false));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock(term, Tenure.NEVER, true);
    }

    @Override
    public boolean tryLock() {
        return uninterruptibly(() -> lock(term, 0, false));
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return lock(term, Durations.nanos(wait), true);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return lock(own(lease), Durations.nanos(wait), true);
    }

    private boolean lock(Term wanted, long wait, boolean interruptible) throws InterruptedException {
        Thread me = Thread.currentThread();
        KeySlot slot = engine.slotOrNull(name);
        Hold mine = slot == null ? null : slot.holdOf(me);
        if (mine != null) {
            if (interruptible && Thread.interrupted()) {
                throw new InterruptedException();
            }
            engine.owners.reenter(mine, wanted);
            return true;
        }
        if (wait == Tenure.NEVER && slot != null) {
            refuseToWaitForMyself(slot, me);
        }
        Outcome outcome = new Acquisition(engine, name, interruptible).await(wanted, wait, null);
        return outcome.hold().isPresent();
    }

    private void refuseToWaitForMyself(KeySlot slot, Thread me) {
        Hold hold = slot.owner();
        if (hold != null && (hold.leasedBy(me) || hold.ownedBy(me))) {
            throw Texts.ownLease(name, me, hold);
        }
    }

    private static <T> T uninterruptibly(Callable<T> wait) {
        try {
            return wait.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("an uninterruptible wait was interrupted", e);
        }
    }

    private Term own(Duration lease) {
        return term.ending(Durations.requireLease(lease));
    }

    @Override
    public void unlock() {
        engine.owners.leave(mine());
    }

    private Hold mine() {
        Thread me = Thread.currentThread();
        return engine.holdOf(name, me)
                .orElseThrow(() -> Texts.notOwner(name, me, engine.inquiries.heldHere(name), engine.settings.name()));
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "lock '" + name + "': conditions are not supported; poll, or use a queue or a latch");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return engine.holdOf(name, Thread.currentThread()).isPresent();
    }

    @Override
    public int holdCount() {
        return engine.holdOf(name, Thread.currentThread()).map(Hold::depth).orElse(0);
    }

    @Override
    public boolean isValid() {
        return engine.holdOf(name, Thread.currentThread())
                .filter(engine.owners::valid)
                .isPresent();
    }

    @Override
    public long fencingToken() {
        Hold hold = mine();
        engine.owners.requireNotLost(hold);
        return hold.token;
    }

    @Override
    public Duration remainingLease() {
        return engine.owners.remaining(mine());
    }

    // ---- anybody's

    @Override
    public boolean isLocked() {
        return engine.inquiries.inspect(name).holder().isPresent();
    }

    @Override
    public Optional<LockReport.Holder> holder() {
        return engine.inquiries.inspect(name).holder();
    }

    @Override
    public boolean forceUnlock() {
        return engine.inquiries.forceRelease(name).isPresent();
    }

    // ---- lease face

    @Override
    public Lease acquire() throws InterruptedException {
        return lease(term, Tenure.NEVER, true).orElseThrow();
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        long began = engine.platform.nanoTime();
        LeaseHandle handle = new LeaseHandle(engine, name);
        Outcome outcome = new Acquisition(engine, name, true).await(term, Durations.nanos(wait), handle);
        if (outcome instanceof Outcome.Busy busy) {
            throw engine.inquiries.timeout(name, began, busy);
        }
        return handle.bind(outcome);
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return uninterruptibly(() -> lease(term, 0, false));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return lease(term, Durations.nanos(wait), true);
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait, Duration lease) throws InterruptedException {
        return lease(own(lease), Durations.nanos(wait), true);
    }

    private Optional<Lease> lease(Term wanted, long wait, boolean interruptible) throws InterruptedException {
        KeySlot slot = engine.slotOrNull(name);
        if (wait == Tenure.NEVER && slot != null) {
            refuseToWaitForMyself(slot, Thread.currentThread());
        }
        LeaseHandle handle = new LeaseHandle(engine, name);
        Outcome outcome = new Acquisition(engine, name, interruptible).await(wanted, wait, handle);
        return outcome.hold().map(got -> handle.bind(outcome));
    }

    @Override
    public AsyncLock async() {
        return new ClientAsyncLock(engine, name, term);
    }

    // ---- identity

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ClientLock that
                && engine == that.engine
                && name.equals(that.name)
                && term.equals(that.term);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return "lock '" + name + "' of " + engine.settings.name() + ", here " + engine.inquiries.heldHere(name);
    }
}
