package io.holdfast.internal.access;

import io.holdfast.DistributedLock;
import io.holdfast.spi.Platform;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What a lock says about itself, and does, beside its API, so that it can be put in order and taken with others. */
public interface BatchMember {

    /** Where it is kept. */
    LockLocation location();

    /** The time of its client. */
    Platform platform();

    /** Whether one request can take both, and nobody in this process is seen to have or to want one of them. */
    boolean goesWith(BatchMember next);

    /**
     * Asks for one member, or for several that go together by one request, and waits for the answer but for nothing else.
     * Unless all are got none is. An interrupt is kept; where the wish is interruptible it ends the wait.
     */
    BatchOutcome askTogether(List<BatchMember> neighbours, MemberSpec spec);

    /** The same for the leases of several, without blocking; who ends the future gives up. */
    CompletableFuture<BatchOutcome> askingTogether(List<BatchMember> neighbours, MemberSpec spec);

    /** All of them. */
    static List<BatchMember> all(List<DistributedLock> locks) {
        return locks.stream().map(BatchMember::of).toList();
    }

    /** The same lock as a member, or throws. */
    static BatchMember of(DistributedLock lock) {
        if (lock instanceof BatchMember member) {
            return member;
        }
        throw new IllegalArgumentException(
                "lock '" + lock.name() + "' is a " + lock.getClass().getName()
                        + ", whose store is not known: a multi-lock takes locks as a Holdfast client gives them");
    }
}
