package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.access.LockMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The failures of several releases. A release that throws does not stop the others. */
final class ReleaseFailures {

    private final List<Throwable> thrown = new ArrayList<>();

    /**
     * Starts all releases, the last one first, and then waits for all of them. A waiter for the first member then usually finds
     * the others free.
     *
     * @param start starts a release, and returns the rest of it
     */
    private static <T> ReleaseFailures ofAll(List<T> acquired, Function<T, Runnable> start) {
        List<Runnable> rests = new ArrayList<>(acquired.size());
        for (int i = acquired.size() - 1; i >= 0; i--) {
            rests.add(started(start, acquired.get(i)));
        }
        ReleaseFailures failures = new ReleaseFailures();
        rests.forEach(failures::run);
        return failures;
    }

    /** Unlocks all members that the current thread holds. */
    static ReleaseFailures ofMembers(List<DistributedLock> members) {
        return ofAll(members, member -> LockMember.of(member).startUnlock());
    }

    /** Closes all leases. */
    static ReleaseFailures ofLeases(List<Lease> leases) {
        return ofAll(leases, lease -> ((LeaseAccess) lease).startClose());
    }

    private static <T> Runnable started(Function<T, Runnable> start, T acquired) {
        try {
            return start.apply(acquired);
        } catch (RuntimeException | Error e) {
            return () -> {
                throw e;
            };
        }
    }

    /** Starts a release, whose future fails if the start throws. */
    static <L extends Lease> CompletableFuture<Void> startedAsync(
            Function<L, CompletableFuture<Void>> release, L lease) {
        try {
            return release.apply(lease);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    void run(Runnable release) {
        try {
            release.run();
        } catch (RuntimeException | Error e) {
            thrown.add(Awaiting.cause(e) instanceof RuntimeException cause ? cause : e);
        }
    }

    /** Throws the first error; if there is none, the first loss; otherwise the first failure. The others are suppressed. */
    void rethrow() {
        thrown.stream().min(Comparator.comparing(ReleaseFailures::rank)).ifPresent(worst -> {
            suppressIn(worst);
            if (worst instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) worst;
        });
    }

    /** Throws the first error, like {@link #rethrow}. Exceptions alone are not thrown, because their members are not held. */
    void rethrowError() {
        if (thrown.stream().anyMatch(Error.class::isInstance)) {
            rethrow();
        }
    }

    private static int rank(Throwable failure) {
        return failure instanceof Error ? 0 : failure instanceof LeaseLostException ? 1 : 2;
    }

    /** Adds the failures to an error that is thrown anyway. */
    void suppressIn(Throwable primary) {
        thrown.stream().filter(failure -> failure != primary).forEach(primary::addSuppressed);
    }
}
