package io.holdfast.recipes;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An election of one leader among processes. The leader leads until it resigns, dies, or can no longer prove that it leads.
 *
 * <pre>{@code
 * LeaderElection election = LeaderElection.of(holdfast, "scheduler");
 * try (Leadership leadership = election.campaign()) {
 *     while (leadership.isValid()) {
 *         schedule(leadership.fencingToken());
 *     }
 * }
 * }</pre>
 *
 * <p>The leader holds the lock of the same name, by a {@link Lease} that is renewed in the background. So there is at most one
 * leader at a time, to the extent that there is at most one valid hold of a lock. If the leader's process dies, another leader
 * follows within the lease (default 30 s). An owner that acquires the lock by other means is also the leader for
 * {@link #leader} and {@link #watch}.
 *
 * <p>Each campaign method does the following. If nobody leads, it acquires the leadership with one store call. If any client
 * leads, including this one, it waits as its signature says. If the store is unreachable or refuses, it throws the exception
 * that {@link DistributedLock#acquire()} would throw. Candidates become leaders in about the order in which they began to wait.
 * Objects of this type have no state of their own. They are cheap and safe for use by any thread.
 */
public interface LeaderElection {

    /**
     * Returns the election of the given name. The leader holds the lock of the same name. Makes no store call.
     *
     * @throws IllegalArgumentException if the name is not a valid lock name
     * @throws IllegalStateException if the client is closed
     */
    static LeaderElection of(Holdfast client, String name) {
        return of(client, name, LockOptions.defaults());
    }

    /**
     * Returns the election of the given name, with the given options. The lease determines how soon another leader follows a
     * leader that died.
     *
     * @throws IllegalArgumentException if the name is not a valid lock name, or if the options have a linger
     * @throws IllegalStateException if the client is closed
     */
    static LeaderElection of(Holdfast client, String name, LockOptions options) {
        return ClientLeaderElection.of(client, name, options);
    }

    /** Returns the name of the election. */
    String name();

    /**
     * Becomes the leader, waiting for as long as it takes.
     *
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; the candidacy is withdrawn
     * @throws IllegalStateException if the current thread already leads, and would wait for itself; or if the client is closed
     * @throws StoreUnavailableException if the store did not answer
     * @throws IndeterminateLockException if it is not known whether this client leads; a leadership that was won is resigned in
     *     the background
     * @throws StoreRefusedException if the store refused the request
     */
    Leadership campaign() throws InterruptedException;

    /**
     * Becomes the leader within the given time.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws LockTimeoutException if the time is up; its text names the leader
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; the candidacy is withdrawn
     * @see #campaign() the other exceptions
     */
    Leadership campaign(Duration wait) throws InterruptedException;

    /**
     * Becomes the leader if nobody leads now. Otherwise, returns an empty result. The method is not interruptible, and
     * preserves the interrupt status.
     *
     * @see #campaign() the exceptions
     */
    Optional<Leadership> tryCampaign();

    /**
     * Becomes the leader if the leadership becomes free within the given time. Otherwise, returns an empty result.
     *
     * @param wait the maximum time to wait; zero or less means not to wait
     * @throws InterruptedException if the current thread is interrupted on entry or while waiting; the candidacy is withdrawn
     * @see #campaign() the other exceptions
     */
    Optional<Leadership> tryCampaign(Duration wait) throws InterruptedException;

    /** Returns the asynchronous API for campaigns. */
    AsyncLeaderElection async();

    /**
     * Returns the leader as the store knows it, with its term as the token if the leader reports it; empty if nobody leads.
     *
     * <p>The method calls the store, and asks the leader for at most 200 ms. The answer may be outdated when the method
     * returns. Use it for display and for requests that are forwarded, not to decide who may act.
     *
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     * @throws IllegalStateException if the client is closed
     */
    Optional<LockReport.Holder> leader();

    /**
     * Reports the leader, and then each change of leader that it sees, until the watch or the client is closed.
     *
     * <p>The watch asks the store at once. It asks again when the period has passed since the last answer was reported. Each
     * time it makes one store call. A leader is a different one if its client or its term differs. If a leader's term is not
     * known at first, the leader is reported again when the term is known. A leader that comes and goes between two requests is
     * not reported. While the store does not answer, nothing is reported. Each outage is logged once, and the next change is
     * found with the first answer.
     *
     * @param period the time between two requests, 100 ms to 365 days
     * @param action receives the leader, or an empty value if nobody leads. It runs on the client's callback executor, one call
     *     at a time. An action that blocks delays other callbacks. An exception of the action is logged
     * @throws IllegalArgumentException if the period is out of range
     * @throws IllegalStateException if the client is closed
     */
    Watch watch(Duration period, Consumer<Optional<LockReport.Holder>> action);

    /** A watch that runs until it is closed. */
    interface Watch extends AutoCloseable {

        /**
         * Ends the watch. No further store call and no further call of the action begins. The method does not wait for one that
         * is under way.
         */
        @Override
        void close();
    }
}
