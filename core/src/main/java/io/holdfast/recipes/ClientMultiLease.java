package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.LockLocation;
import io.holdfast.internal.access.LockMember;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/** The leases of all members, in their order. The engine refers to the leases only weakly, and to this object not at all. */
record ClientMultiLease(List<LockLocation> locations, List<Lease> leases) implements MultiLease {

    /** The maximum number of renewals of all members. While later members are renewed, the leases of earlier ones get shorter. */
    private static final int MAX_ROUNDS = 3;

    /** Creates a multi-lease of these members, which may be fewer than all members of the multi-lock. */
    static ClientMultiLease of(List<DistributedLock> members, List<Lease> leases) {
        return new ClientMultiLease(
                members.stream().map(member -> LockMember.of(member).location()).toList(), List.copyOf(leases));
    }

    @Override
    public List<String> names() {
        return leases.stream().map(Lease::name).toList();
    }

    @Override
    public long fencingToken(DistributedLock member) {
        LockLocation location = LockMember.of(member).location();
        int index = locations.indexOf(location);
        if (index < 0) {
            throw new IllegalArgumentException("lock " + location + " is not a member of " + this);
        }
        return leases.get(index).fencingToken();
    }

    @Override
    public boolean isValid() {
        return leases.stream().allMatch(Lease::isValid);
    }

    @Override
    public Duration remainingLease() {
        return shortest().remainingLease();
    }

    private Lease shortest() {
        return leases.stream().min(Comparator.comparing(Lease::remainingLease)).orElseThrow();
    }

    @Override
    public void ensureValid(Duration atLeast) {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            leases.forEach(lease -> lease.ensureValid(atLeast));
            if (isValid() && remainingLease().compareTo(atLeast) >= 0) {
                return;
            }
        }
        Lease shortest = shortest();
        throw new StoreUnavailableException(
                shortest.name(),
                this + ": the stores confirmed too slowly that all are valid for " + atLeast.toMillis() + " ms; lock "
                        + quoted(shortest.name()) + " is valid for "
                        + shortest.remainingLease().toMillis() + " ms",
                null);
    }

    @Override
    public MultiLease onLost(Consumer<LeaseLostException> action) {
        Consumer<LeaseLostException> once = once(action);
        leases.forEach(lease -> lease.onLost(once));
        return this;
    }

    /** Returns an action that runs for the first loss only. */
    private static Consumer<LeaseLostException> once(Consumer<LeaseLostException> action) {
        AtomicBoolean notified = new AtomicBoolean();
        return loss -> {
            if (notified.compareAndSet(false, true)) {
                action.accept(loss);
            }
        };
    }

    @Override
    public void extend(Duration lease) {
        leases.forEach(each -> each.extend(lease));
    }

    @Override
    public void close() {
        ReleaseFailures.ofLeases(leases).rethrow();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return releaseAll(leases, Lease::closeAsync).thenAccept(ReleaseFailures::rethrow);
    }

    /** Releases leases. The future completes with the failures when all releases have ended. */
    static CompletableFuture<ReleaseFailures> releaseAll(
            List<Lease> leases, Function<Lease, CompletableFuture<Void>> release) {
        List<CompletableFuture<Void>> releases = leases.stream()
                .map(lease -> ReleaseFailures.startedAsync(release, lease))
                .toList();
        return CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new))
                .handle((nothing, error) -> {
                    ReleaseFailures failures = new ReleaseFailures();
                    releases.forEach(each -> failures.run(each::join));
                    return failures;
                });
    }

    @Override
    public String toString() {
        return "multi-lease of " + leases;
    }
}
