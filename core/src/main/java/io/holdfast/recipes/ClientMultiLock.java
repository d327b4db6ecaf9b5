package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.BatchMember;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LockLocation;
import io.holdfast.internal.access.MemberSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A multi-lock with the two blocking APIs. Its members know their holders, and this object counts the levels of each thread. */
final class ClientMultiLock implements MultiLock {

    private final AllOrNothing all;
    private final List<DistributedLock> members;

    /** The levels of each thread in this object. A thread that holds the members separately has nothing to unlock here. */
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<Integer> levels = ThreadLocal.withInitial(() -> 0);

    private ClientMultiLock(List<DistributedLock> members) {
        this.members = members;
        all = new AllOrNothing(members);
    }

    /** Returns a multi-lock of these members, after it has checked and sorted them. */
    static MultiLock of(Collection<? extends DistributedLock> members) {
        if (members.isEmpty()) {
            throw new IllegalArgumentException("a multi-lock of no locks: pass at least one");
        }
        Set<LockLocation> locations = new HashSet<>();
        for (DistributedLock member : members) {
            LockLocation location = BatchMember.of(member).location();
            if (!locations.add(location)) {
                throw new IllegalArgumentException("lock " + location + " is given twice to one multi-lock,"
                        + " which would wait for itself: pass each lock once");
            }
        }
        return new ClientMultiLock(members.stream()
                .<DistributedLock>map(member -> member)
                .sorted(Comparator.comparing(member -> BatchMember.of(member).location()))
                .toList());
    }

    @Override
    public List<DistributedLock> members() {
        return members;
    }

    private Timeout timeout(long nanos) {
        return Timeout.from(BatchMember.of(members.get(0)).platform(), nanos);
    }

    // ---- thread API

    /** One level of a thread in a member. */
    private record Level(DistributedLock member) implements AllOrNothing.Part {

        static List<Level> all(List<DistributedLock> members, List<Lease> none) {
            return members.stream().map(Level::new).toList();
        }

        @Override
        public boolean isValid() {
            return member.isValid();
        }

        @Override
        public void release() {
            member.unlock();
        }
    }

    /** Locks one member for the current thread. */
    @FunctionalInterface
    private interface Locking<X extends Exception> {

        boolean lock(DistributedLock member, Duration left) throws X;
    }

    private <X extends Exception> boolean enter(long wait, MemberSpec spec, Locking<X> one) throws X {
        AllOrNothing.Take<Level, X> level =
                (member, left) -> one.lock(member, left) ? Optional.of(new Level(member)) : Optional.empty();
        boolean entered = all.take(timeout(wait), new AllOrNothing.Steps<>(spec, Level::all, level))
                .isPresent();
        if (entered) {
            levels.set(levels.get() + 1);
        }
        return entered;
    }

    @Override
    public void lock() {
        var unused = enter(Durations.NEVER, MemberSpec.LOCKED, (member, left) -> {
            member.lock();
            return true;
        });
    }

    @Override
    public void lock(Duration lease) {
        var unused = enter(Durations.NEVER, MemberSpec.LOCKED.lasting(lease), (member, left) -> {
            member.lock(lease);
            return true;
        });
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        var unused = enter(Durations.NEVER, MemberSpec.LOCKED.interruptibly(), (member, left) -> {
            member.lockInterruptibly();
            return true;
        });
    }

    @Override
    public boolean tryLock() {
        return enter(0, MemberSpec.LOCKED, (member, left) -> member.tryLock());
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return enter(Durations.nanos(wait), MemberSpec.LOCKED.interruptibly(), DistributedLock::tryLock);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return enter(
                Durations.nanos(wait),
                MemberSpec.LOCKED.lasting(lease).interruptibly(),
                (member, left) -> member.tryLock(left, lease));
    }

    @Override
    public void unlock() {
        int depth = requireHeld();
        if (depth == 1) {
            levels.remove();
        } else {
            levels.set(depth - 1);
        }
        ReleaseFailures failures = new ReleaseFailures();
        for (int i = members.size() - 1; i >= 0; i--) {
            failures.run(members.get(i)::unlock);
        }
        failures.rethrow();
    }

    private int requireHeld() {
        int depth = levels.get();
        if (depth == 0) {
            throw MultiTexts.notOwner(members, Thread.currentThread());
        }
        return depth;
    }

    @Override
    public int holdCount() {
        return levels.get();
    }

    @Override
    public boolean isValid() {
        return levels.get() > 0 && members.stream().allMatch(DistributedLock::isValid);
    }

    @Override
    public Duration remainingLease() {
        var unused = requireHeld();
        return members.stream()
                .map(DistributedLock::remainingLease)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    // ---- lease API

    /** A member that is held by a lease. */
    private record Leased(Lease lease) implements AllOrNothing.Part {

        static List<Leased> all(List<DistributedLock> members, List<Lease> leases) {
            return leases.stream().map(Leased::new).toList();
        }

        @Override
        public boolean isValid() {
            return lease.isValid();
        }

        @Override
        public void release() {
            lease.close();
        }
    }

    /** Acquires one member as a lease. */
    @FunctionalInterface
    private interface Leasing<X extends Exception> {

        Optional<Lease> lease(DistributedLock member, Duration left) throws X;
    }

    private <X extends Exception> Optional<MultiLease> lease(Timeout timeout, MemberSpec spec, Leasing<X> one)
            throws X {
        AllOrNothing.Take<Leased, X> leased =
                (member, left) -> one.lease(member, left).map(Leased::new);
        return all.take(timeout, new AllOrNothing.Steps<>(spec, Leased::all, leased))
                .map(parts -> ClientMultiLease.of(
                        members, parts.stream().map(Leased::lease).toList()));
    }

    @Override
    public MultiLease acquire() throws InterruptedException {
        return lease(
                        timeout(Durations.NEVER),
                        MemberSpec.LEASED.interruptibly(),
                        (member, left) -> Optional.of(member.acquire()))
                .orElseThrow();
    }

    @Override
    public MultiLease acquire(Duration wait) throws InterruptedException {
        Timeout timeout = timeout(Durations.nanos(wait));
        try {
            return lease(
                            timeout,
                            MemberSpec.LEASED.insisting().interruptibly(),
                            (member, left) -> Optional.of(member.acquire(left)))
                    .orElseThrow();
        } catch (LockTimeoutException e) {
            throw MultiTexts.timedOut(members, timeout, e);
        }
    }

    @Override
    public Optional<MultiLease> tryAcquire() {
        return lease(timeout(0), MemberSpec.LEASED, (member, left) -> member.tryAcquire());
    }

    @Override
    public Optional<MultiLease> tryAcquire(Duration wait) throws InterruptedException {
        return lease(timeout(Durations.nanos(wait)), MemberSpec.LEASED.interruptibly(), DistributedLock::tryAcquire);
    }

    @Override
    public Optional<MultiLease> tryAcquire(Duration wait, Duration lease) throws InterruptedException {
        return lease(
                timeout(Durations.nanos(wait)),
                MemberSpec.LEASED.lasting(lease).interruptibly(),
                (member, left) -> member.tryAcquire(left, lease));
    }

    @Override
    public AsyncLock<MultiLease> async() {
        return new ClientAsyncMultiLock(all, this::timeout);
    }

    @Override
    public String toString() {
        return MultiTexts.of(members);
    }
}
