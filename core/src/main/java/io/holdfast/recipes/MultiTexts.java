package io.holdfast.recipes;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLock;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.LockMember;
import java.util.List;
import java.util.stream.Collectors;

/** The error texts of multi-locks: which members, what happened, and what to do. */
final class MultiTexts {

    private MultiTexts() {}

    /** Returns a description of the multi-lock for a person. */
    static String of(List<DistributedLock> members) {
        return "multi-lock of "
                + members.stream()
                        .map(member -> LockMember.of(member).location().toString())
                        .collect(Collectors.joining(", "));
    }

    static LockTimeoutException timedOut(List<DistributedLock> members, Timeout timeout, LockTimeoutException cause) {
        LockTimeoutException timeoutOfAll = new LockTimeoutException(
                cause.name(),
                of(members) + " was not acquired within " + timeout.waitedMillis() + " ms: " + cause.getMessage());
        timeoutOfAll.addSuppressed(cause);
        return timeoutOfAll;
    }

    static StoreUnavailableException outlasted(List<DistributedLock> members, long tookMillis) {
        return new StoreUnavailableException(
                "",
                of(members) + " was not acquired: the stores granted every member, but an attempt took " + tookMillis
                        + " ms, and the lease of a member ended in that time. Use a longer lease; a future also"
                        + " needs an executor for callbacks that is not blocked",
                null);
    }

    static LockTimeoutException outOfTime() {
        return new LockTimeoutException("", "the time limit expired before every member had been requested");
    }

    static LockTimeoutException outOfTime(DistributedLock held) {
        String name = held.name();
        return new LockTimeoutException(
                name,
                "lock " + quoted(name)
                        + " was held by another owner when it was requested, and the time limit had expired by then");
    }
}
