package io.holdfast.recipes;

import io.holdfast.IndeterminateLockException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.LockAccess;
import io.holdfast.internal.access.ThreadNames;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The error texts of quorum locks: which lock, what happened, and what to do. */
final class QuorumTexts {

    private QuorumTexts() {}

    static LeaseLostException lost(QuorumServers servers, long token, int heldAt) {
        return new LeaseLostException(
                servers.name(),
                token,
                servers + ": the hold (token " + token + ") is lost: it was still held at " + heldAt
                        + " servers, and needs " + servers.majority()
                        + (servers.areTooManyClosed() ? ", because " + closedClients(servers) : "")
                        + ". Another owner may hold the lock; undo or fence what was done under it");
    }

    private static String closedClients(QuorumServers servers) {
        long closed = servers.all().stream().filter(LockAccess::isClosed).count();
        return closed + " of its clients were closed, which released everything that they held";
    }

    /** Returns the error for an owner whose hold ended because its clients were closed. */
    static IllegalStateException clientsClosed(QuorumServers servers, long token) {
        return new IllegalStateException(servers + ": the hold (token " + token + ") has ended: "
                + closedClients(servers) + ". Another owner may hold the lock; close clients only after the work under"
                + " their locks has ended");
    }

    static LeaseLostException closed(QuorumServers servers, long token) {
        return new LeaseLostException(
                servers.name(), token, servers + ": the hold (token " + token + ") was closed, and has ended");
    }

    /** Returns an exception if another thread of this process is requesting the lock; null if another owner holds it. */
    static @Nullable Throwable refusal(LockAccess server, String name) {
        String text = server.address() + " is being asked for the lock by another thread of this process";
        return server.isBeingRequested() ? new LockTimeoutException(name, text) : null;
    }

    /**
     * Returns the reason for a failed attempt; null if others hold the lock. It is a {@link LockTimeoutException} if other
     * threads of this process are requesting the lock.
     */
    static @Nullable RuntimeException failure(QuorumServers servers, List<QuorumMember> members) {
        int tolerated = servers.all().size() - servers.majority();
        List<Throwable> failures =
                members.stream().flatMap(member -> member.failure().stream()).toList();
        List<Throwable> errors = failures.stream()
                .filter(failure -> !(failure instanceof LockTimeoutException))
                .toList();
        if (errors.size() > tolerated) {
            return unanswered(servers, errors);
        } else if (failures.size() > tolerated) {
            return new LockTimeoutException(servers.name(), servers + " is being acquired by other threads");
        }
        return members.stream().anyMatch(QuorumMember::hasRefused) ? null : tooSlow(servers);
    }

    static StoreUnavailableException inDoubt(QuorumServers servers) {
        return new StoreUnavailableException(
                servers.name(),
                servers
                        + " was not acquired: a majority granted it, but the clock of this machine was set, or the machine was"
                        + " suspended; try again",
                null);
    }

    static StoreUnavailableException tooSlow(QuorumServers servers) {
        return new StoreUnavailableException(
                servers.name(),
                servers + " was not acquired: a majority granted it, but took longer than the lease; use a"
                        + " longer lease",
                null);
    }

    private static RuntimeException unanswered(QuorumServers servers, List<Throwable> errors) {
        int tolerated = servers.all().size() - servers.majority();
        Throwable first = errors.get(0);
        String text = servers + " was not acquired: " + errors.size() + " servers failed, and at most " + tolerated
                + " may fail: " + errors.stream().map(Throwable::getMessage).collect(Collectors.joining("; "));
        RuntimeException combined;
        if (count(errors, IllegalStateException.class::isInstance) > tolerated) {
            combined = new IllegalStateException(text, first);
        } else if (count(errors, StoreRefusedException.class::isInstance) > tolerated) {
            combined = new StoreRefusedException(servers.name(), text, first);
        } else if (errors.stream().anyMatch(IndeterminateLockException.class::isInstance)) {
            combined = new IndeterminateLockException(
                    servers.name(), text + ". You do not hold it; any grant is being released", first);
        } else {
            combined = new StoreUnavailableException(servers.name(), text, first);
        }
        errors.stream().skip(1).forEach(combined::addSuppressed);
        return combined;
    }

    private static long count(List<Throwable> errors, Predicate<Throwable> kind) {
        return errors.stream().filter(kind).count();
    }

    static LockTimeoutException timedOut(QuorumServers servers, long waitedMillis) {
        return new LockTimeoutException(
                servers.name(),
                servers + " was not acquired within " + waitedMillis + " ms: at each attempt, others held it at too"
                        + " many servers");
    }

    static IllegalMonitorStateException notHeld(QuorumServers servers, Thread thread) {
        return new IllegalMonitorStateException(servers + " is not held by " + ThreadNames.named(thread)
                + ", so nothing was unlocked. Unlock in the thread that locked, once for each lock()");
    }

    static IllegalStateException notReentrant(QuorumServers servers, Thread thread) {
        return new IllegalStateException(servers + " is already held by " + ThreadNames.named(thread)
                + ", and its options forbid entering it again: unlock first, or remove withReentrant(false)");
    }

    static IllegalStateException notRenewed(QuorumServers servers) {
        return new IllegalStateException(servers + " was locked with a lease argument, and cannot be entered"
                + " without one: pass a lease, or lock without one first");
    }

    static IllegalStateException renewed(QuorumServers servers) {
        return new IllegalStateException(servers + ": the watchdog renews this hold, so there is nothing to extend");
    }

    static IllegalStateException endsEarlier(QuorumServers servers, Duration remaining, Duration atLeast) {
        return new IllegalStateException(servers + ": its own lease ends in " + remaining.toMillis()
                + " ms, before the requested " + atLeast.toMillis() + " ms; extend it");
    }

    static StoreUnavailableException unconfirmed(QuorumServers servers, String what, String state, Duration remaining) {
        return new StoreUnavailableException(
                servers.name(),
                servers + ": fewer than " + servers.majority() + " confirmed " + what + " in time; " + state
                        + " valid for " + remaining.toMillis() + " ms",
                null);
    }
}
