package io.holdfast.internal.multi;

import io.holdfast.DistributedLock;
import io.holdfast.LockTimeoutException;
import java.util.List;
import java.util.stream.Collectors;

/** Error texts: which members, what happened, and what to do. */
final class Texts {

    private Texts() {}

    /** The multi-lock, for a person. */
    static String of(List<DistributedLock> members) {
        return "multi-lock of "
                + members.stream()
                        .map(member -> Member.of(member).place().toString())
                        .collect(Collectors.joining(", "));
    }

    static LockTimeoutException timedOut(List<DistributedLock> members, Patience patience, LockTimeoutException cause) {
        LockTimeoutException whole =
                new LockTimeoutException(cause.lockName(), notGot(members, patience) + cause.getMessage());
        whole.addSuppressed(cause);
        return whole;
    }

    static LockTimeoutException timedOut(List<DistributedLock> members, Patience patience) {
        return new LockTimeoutException(
                "", notGot(members, patience) + "the time was up before each member had been asked for");
    }

    private static String notGot(List<DistributedLock> members, Patience patience) {
        return of(members) + " was not got within " + patience.waitedMillis() + " ms: ";
    }

    static IllegalMonitorStateException notOwner(List<DistributedLock> members, Thread thread) {
        return new IllegalMonitorStateException(of(members) + " is not held by thread " + thread.getName()
                + " through this object, so nothing was unlocked. Unlock in the thread that locked, the object that it"
                + " locked, once for each lock()");
    }
}
