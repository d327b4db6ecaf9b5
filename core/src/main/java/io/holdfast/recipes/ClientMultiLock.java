package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.access.LockLocation;
import io.holdfast.internal.access.LockMember;
import io.holdfast.internal.access.MemberSpec;
import io.holdfast.internal.access.ThreadNames;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A multi-lock. Each member knows its own holder. This object only counts the levels of each thread. */
final class ClientMultiLock extends ClientCompositeLock<MultiLease> implements MultiLock {

    private final List<DistributedLock> members;
    private final MemberClients clients;

    /**
     * The number of levels of each thread in this object. A thread that has locked only the members has none, and cannot unlock
     * here.
     */
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<Integer> levels = ThreadLocal.withInitial(() -> 0);

    private ClientMultiLock(List<DistributedLock> members) {
        this.members = members;
        clients = new MemberClients(
                this,
                members.stream()
                        .map(member -> LockAccess.of("a multi-lock", member))
                        .toList());
    }

    /** Checks and sorts the members, and returns a multi-lock of them. */
    static MultiLock of(Collection<? extends DistributedLock> members) {
        if (members.isEmpty()) {
            throw new IllegalArgumentException("a multi-lock of no locks: pass at least one");
        }
        Set<LockLocation> locations = new HashSet<>();
        for (DistributedLock member : members) {
            LockLocation location = LockMember.of(member).location();
            if (!locations.add(location)) {
                throw new IllegalArgumentException("lock " + location + " is given twice to one multi-lock,"
                        + " which would wait for itself: pass each lock once");
            }
        }
        return new ClientMultiLock(members.stream()
                .<DistributedLock>map(member -> member)
                .sorted(Comparator.comparing(member -> LockMember.of(member).location()))
                .toList());
    }

    @Override
    public List<DistributedLock> members() {
        return members;
    }

    private Timeout timeout(long nanos) {
        return Timeout.from(LockMember.of(members.get(0)).platform(), nanos);
    }

    // ---- acquiring

    @Override
    boolean enter(MemberSpec spec, long wait) throws InterruptedException {
        boolean entered = new AllOrNothing(members, spec, timeout(wait)).run().isPresent();
        if (entered) {
            levels.set(levels.get() + 1);
        }
        return entered;
    }

    @Override
    Optional<MultiLease> lease(MemberSpec spec, long wait) throws InterruptedException {
        Timeout timeout = timeout(wait);
        try {
            return new AllOrNothing(members, spec, timeout).run().map(leases -> ClientMultiLease.of(members, leases));
        } catch (LockTimeoutException e) {
            throw MultiTexts.timedOut(members, timeout, e);
        }
    }

    @Override
    <T> CompletableFuture<T> start(MemberSpec spec, long wait, Function<Optional<MultiLease>, T> result) {
        return new MultiRequest<>(members, clients, spec, timeout(wait), result).start();
    }

    // ---- the hold of a thread

    @Override
    public void unlock() {
        int depth = requireHeld();
        if (depth == 1) {
            levels.remove();
        } else {
            levels.set(depth - 1);
        }
        ReleaseFailures.ofMembers(members).rethrow();
    }

    private int requireHeld() {
        int depth = levels.get();
        if (depth == 0) {
            throw new IllegalMonitorStateException(this + " is not held by " + ThreadNames.named(Thread.currentThread())
                    + " through this object, so nothing was unlocked. Unlock in the thread that locked, the object that it"
                    + " locked, once for each lock()");
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

    @Override
    public String toString() {
        return MultiTexts.of(members);
    }
}
