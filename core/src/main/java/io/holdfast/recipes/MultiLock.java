package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.StoreUnavailableException;
import java.util.Collection;
import java.util.List;

/**
 * A lock that acquires several locks of any stores, all or none of them.
 *
 * <pre>{@code
 * MultiLock both = MultiLock.of(from, to);
 * try (MultiLease lease = both.acquire()) {
 *     transfer(lease.fencingToken(from), lease.fencingToken(to));
 * }
 * }</pre>
 *
 * <p>In the thread API, the current thread holds each member. It may lock a member again separately, and asks it for its
 * {@link DistributedLock#fencingToken}. In the lease API, a {@link MultiLease} has the tokens. A thread that holds an open lease
 * of a member would wait for itself, so the call throws {@link IllegalStateException}.
 *
 * <p><strong>Order.</strong> The members are acquired one after the other, in the order of their names in the store. If the
 * names are the same, the order is that of the store addresses. {@link #members} returns them in this order. The order in which
 * they were given has no effect. So multi-locks never deadlock with each other. This requires the same order in every process.
 * A process that has one name in two stores must use the same URIs for them as all other processes. A thread that also locks
 * members one by one must keep to the order of {@link #members}.
 *
 * <p><strong>All or nothing.</strong> There is one wait for all members. The acquired members are released before the call ends
 * if the time is up, the thread is interrupted, the future is canceled, or a member fails. When the last member is acquired,
 * all members are checked once more. If a member is no longer valid because its lease has ended, all members are released, and
 * acquired again within the wait. After at most four attempts in a row that fail in this way and that no other owner delayed,
 * the call throws {@link StoreUnavailableException}, even if it has no time limit. The replies of the stores then take longer
 * than the lease.
 *
 * <p><strong>Every acquiring method</strong> acquires each member like the method of that name of {@link DistributedLock}. It
 * makes one store call for each member that is free, and none for a member that the current thread holds. It waits for a member
 * that another owner holds. Its exceptions name the member. A call lasts at most its wait plus one command timeout. If members
 * are released at stores that do not answer, one more command timeout is added.
 *
 * <p><strong>Leases.</strong> With a lease argument, the lease of each member begins when that member is acquired. The hold ends
 * when the first of them ends. So {@link #remainingLease} is the shortest time of the members.
 *
 * <p><strong>Unlocking.</strong> {@link #unlock} unlocks every member, even if another one throws. It starts all releases
 * before it waits for an answer, and waits for at most one command timeout. If members were lost, the exception names the
 * first of them, and the exceptions of the others are suppressed. If a member was unlocked separately, the others are
 * unlocked, and the method throws {@link IllegalMonitorStateException}.
 *
 * <p><strong>Loss.</strong> The hold is valid as long as all members are. If one member is lost, the others stay held until the
 * owner releases them.
 */
public interface MultiLock extends CompositeLock<MultiLease> {

    /**
     * Returns a lock that acquires all given locks or none of them. Makes no store call.
     *
     * @throws IllegalArgumentException if there are no members; if two have the same name in the same store; or if one is not a
     *     lock of a Holdfast client
     */
    static MultiLock of(DistributedLock... members) {
        return of(List.of(members));
    }

    /**
     * Returns a lock that acquires all given locks or none of them. The members can belong to different clients and stores.
     * Makes no store call.
     *
     * <p>Stores are compared by their addresses. If one store is reached by two addresses, two members of one name would wait
     * for each other.
     *
     * @throws IllegalArgumentException if there are no members; if two have the same name in the same store; or if one is not a
     *     lock of a Holdfast client
     */
    static MultiLock of(Collection<? extends DistributedLock> members) {
        return ClientMultiLock.of(members);
    }
}
