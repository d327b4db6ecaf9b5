package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The time for which a client leads, from winning a {@link LeaderElection} until it resigns or loses the lead.
 *
 * <p>It ends at its deadline at the latest, whatever the store says or does not say: the lease since the last confirmed
 * renewal was sent, less a margin of 1 % and 2 ms. Keep a reference for as long as the lead is needed: one that is garbage
 * collected unresigned is renewed no more, as with a {@link Lease}. It is tied to no thread.
 */
public interface Leadership extends AutoCloseable {

    /** How a leadership ended. */
    sealed interface End {

        /** By {@link Leadership#resign}. */
        record Resigned() implements End {}

        /**
         * Against the leader's will.
         *
         * @param cause why
         */
        record Lost(LeaseLostException cause) implements End {}
    }

    /** The name of the election. */
    String electionName();

    /**
     * The number of this leadership, and its fencing token: greater than that of every leadership of this name before,
     * not always by one. Send it along, and let what is led refuse a lower one. Readable also after the end.
     */
    long term();

    /**
     * Whether this client leads now. False after the end, and while a stepped clock or a suspended machine leaves it in
     * doubt, until the store has confirmed it.
     */
    boolean isLeader();

    /** For how long it leads if the store is not heard of again; zero if it does not lead. */
    Duration remaining();

    /**
     * Returns only if this client leads for at least the given time; renews with one store call if it must. It is a check,
     * not a fence: only what refuses old terms is safe from a pause right behind it.
     *
     * @param atLeast zero to the lease less its margin (1 % and 2 ms)
     * @throws IllegalArgumentException if the time is out of that range
     * @throws LeaseLostException if the leadership has ended
     * @throws StoreUnavailableException if the store did not confirm; this client leads, but not for that long
     */
    void ensureLeader(Duration atLeast);

    /**
     * Registers what to run when the leadership ends: once, on a thread of the client; at once if it has ended. A
     * loss is told at the latest at the deadline; a resignation when its release is confirmed or goes on in the
     * background. Not run when the client is closed. An action that blocks holds up others; what it throws is logged.
     */
    @CanIgnoreReturnValue
    Leadership onEnd(Consumer<End> action);

    /**
     * Gives the lead up, so that another one can take it at once; does nothing the second time. Calls the store. Waits for
     * the answer at most the command timeout, then goes on in the background with a warning; an interrupt is kept.
     *
     * @throws LeaseLostException if the lead was lost before
     * @throws IllegalStateException if the client was closed, which ended the lead
     */
    void resign();

    /** Gives the lead up like {@link #resign}, without waiting; fails with what that would throw. */
    CompletableFuture<Void> resignAsync();

    /** Gives the lead up: {@link #resign}. */
    @Override
    default void close() {
        resign();
    }
}
