package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import java.util.List;

/**
 * A lock at several independent servers, which is held when a majority of them has granted it.
 *
 * <pre>{@code
 * QuorumLock lock = QuorumLock.of(List.of(one, two, three), "orders/42");
 * try (QuorumLease lease = lock.acquire()) {
 *     ship(42, lease.fencingToken());
 * }
 * }</pre>
 *
 * <p>It tolerates the failure of any minority of the servers, whether they are dead, slow, or cut off. Its promises and their
 * assumptions are part of the guarantees of Holdfast. They are those of a lock, except that exclusion rests on each server
 * keeping what it acknowledged.
 *
 * <p><strong>Members.</strong> The members are the lock at each server, in the order in which the servers were given. An owner
 * that acquires one of these locks directly competes with the quorum lock.
 *
 * <p><strong>Every acquiring method</strong> asks all servers at once. Each request has the timeout of one server
 * ({@link QuorumOptions#budget}). It returns when a majority has granted the lock and confirmed its token. This costs at
 * best two calls to each server, and none if the current thread already holds the lock. The other servers are added to the hold when they
 * answer. If no majority grants the lock, all grants are released. A waiter then waits for the lock at one server, for half a
 * second at most, and asks the others when it has it. So waiters take turns as at a plain lock. The last attempt begins when the
 * time is up. If several callers try at the same moment without waiting, each can acquire
 * a minority, and all of them can fail. A call lasts at most its wait plus three of these timeouts. A waiter continues to wait
 * through an outage like that of a {@link DistributedLock}. A refusal or a missing answer of a minority of the servers is not
 * reported. The call fails only if so many servers fail that no majority is left.
 *
 * <p><strong>Leases.</strong> With a lease argument, the lease begins when the servers are asked. If the current thread holds
 * the lock for a fixed lease, a new level may move the end of the whole hold to a later time. It stays there until the
 * outermost level is unlocked. A thread whose hold has a fixed lease cannot lock again without one, and the call throws
 * {@link IllegalStateException}.
 *
 * <p><strong>Missing servers</strong> are asked again every third of a lease. So a server that was down does not leave the hold
 * at a bare majority.
 *
 * <p><strong>Unlocking.</strong> {@link #unlock} waits for the answers of all servers, for at most the timeout of one server.
 *
 * <p><strong>Loss.</strong> The hold is lost when it is valid at fewer servers than a majority. The lock is then released at the
 * other servers. A thread that dies is treated as a crash, at most a third of a lease later.
 */
public interface QuorumLock extends CompositeLock<QuorumLease> {

    /**
     * Returns the lock of the given name at several servers. It is held when a majority of the servers has granted it. Makes no
     * store call.
     *
     * @param servers 3, 5, 7 or 9 clients of different servers; no server may be a replica of another one
     * @throws IllegalArgumentException if the number of clients is not 3, 5, 7 or 9; if two clients use one server; or if the
     *     name is not a valid lock name
     * @throws IllegalStateException if a client is closed
     */
    static QuorumLock of(List<Holdfast> servers, String name) {
        return of(servers, name, QuorumOptions.defaults());
    }

    /**
     * Returns the lock of the given name at several servers, with the given options.
     *
     * @param servers 3, 5, 7 or 9 clients of different servers; no server may be a replica of another one
     * @throws IllegalArgumentException if the number of clients is not 3, 5, 7 or 9; if two clients use one server; if the name
     *     is not a valid lock name; or if the budget is not below the lease
     * @throws IllegalStateException if a client is closed
     */
    static QuorumLock of(List<Holdfast> servers, String name, QuorumOptions options) {
        return ClientQuorumLock.of(servers, name, options);
    }

    /** Returns the name, which is the same at all servers. */
    String name();

    /** Returns the number of servers that a hold needs. */
    int majority();

    /** Returns the number of servers at which the current thread's hold is valid now; 0 if it has none. */
    int heldAt();

    /**
     * Returns the fencing token of the current thread's hold; see {@link QuorumLease#fencingToken}.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold this object
     * @throws LeaseLostException if the hold is lost
     */
    long fencingToken();
}
