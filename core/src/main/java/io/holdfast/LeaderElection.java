package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A way for processes to agree on one of them that leads, until it resigns, dies, or can no longer prove that it leads.
 *
 * <pre>{@code
 * LeaderElection election = holdfast.leaderElection("scheduler");
 * try (Leadership leadership = election.campaign()) {
 *     while (leadership.isLeader()) {
 *         schedule(leadership.term());
 *     }
 * }
 * }</pre>
 *
 * <p>The leader holds the lock of the same name as a {@link Lease} that is renewed in the background. So there is no more
 * than one leader at a time, as far as there is no more than one valid hold of a lock, and another one is found within the
 * lease (default 30 s) after the leader's process has died. Whoever takes the lock by other means is the leader for
 * {@link #leader} and {@link #watch}, too.
 *
 * <p>Each way to campaign, when nobody leads: takes the lead with one store call; when anybody leads, also this client:
 * waits as its signature says; when the store is unreachable or refuses: throws what {@link DistributedLock#acquire()} would.
 * Clients come to lead in about the order in which they began to wait. Objects of this type hold no state; they are cheap
 * and safe for use by any thread.
 */
public interface LeaderElection {

    /** The name, as it was given to {@link Holdfast#leaderElection(String)}. */
    String name();

    /**
     * Waits for as long as it takes to be the leader.
     *
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is left behind then
     * @throws IllegalStateException if the current thread leads already, and would wait for itself; or the client is closed
     * @throws StoreUnavailableException if the store did not answer
     * @throws IndeterminateLockException if it cannot be known whether this client leads; the lead is being given up
     * @throws StoreRefusedException if the store refused
     */
    Leadership campaign() throws InterruptedException;

    /**
     * Becomes the leader within the wait.
     *
     * @param wait zero or less for no waiting
     * @throws LockTimeoutException if the wait passed; its text says who leads
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is left behind then
     * @see #campaign() the other exceptions
     */
    Leadership campaign(Duration wait) throws InterruptedException;

    /**
     * Becomes the leader if nobody is now; empty otherwise. Not interruptible; an interrupt is kept.
     *
     * @see #campaign() the exceptions
     */
    Optional<Leadership> tryCampaign();

    /**
     * Becomes the leader if nobody is any more within the wait; empty otherwise.
     *
     * @param wait zero or less for no waiting
     * @throws InterruptedException if interrupted on entry or while waiting; nothing is left behind then
     * @see #campaign() the other exceptions
     */
    Optional<Leadership> tryCampaign(Duration wait) throws InterruptedException;

    /** The ways to campaign without blocking. */
    AsyncLeaderElection async();

    /**
     * Who leads as far as the store knows, with the term as its token, if it told; empty if nobody leads. Calls the store,
     * and asks the leader for at most 200 ms. It may have changed when this returns: it is for people and for requests
     * that are sent on, not for deciding who may act.
     *
     * @throws StoreUnavailableException if the store did not answer within the command timeout
     * @throws IllegalStateException if the client is closed
     */
    Optional<LockReport.Holder> leader();

    /**
     * Tells who leads, and from then on each change that it sees, until the watch or the client is closed.
     *
     * <p>Asks the store at once, and again when the period has passed since the last answer was told: one store call each.
     * A leader is another one by its client or by its term; one whose term is not known at first is told of again with it.
     * Leaders who came and went between two looks are not told of. While the store does not answer nothing is told; that is
     * logged once for each outage, and the next change is found with the first answer.
     *
     * @param period between two looks, 100 ms to 365 days
     * @param action gets who leads, or empty if nobody does; on the client's callback executor, one call at a time. An
     *     action that blocks holds up other callbacks; what it throws is logged
     * @throws IllegalArgumentException if the period is out of range
     * @throws IllegalStateException if the client is closed
     */
    Watch watch(Duration period, Consumer<Optional<LockReport.Holder>> action);

    /** Something that goes on until it is closed. */
    interface Watch extends AutoCloseable {

        /** Ends it: no other store call and no other call of the action begins. Does not wait for one under way. */
        @Override
        void close();
    }
}
