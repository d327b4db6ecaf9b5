package io.holdfast.spi;

import io.holdfast.Safety;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A request for a name; see {@link LockStore#acquire}.
 *
 * @param name the lock
 * @param tenure who asks
 * @param share what of it
 * @param queueing whether to take a place in the queue if refused, and of which kind
 * @param arrival the place the tenure had before, from {@link Refused#arrival}; 0 for none
 * @param behind further places of the same client, all fair, in the order in which they came; to be queued whatever
 *     becomes of the tenure
 * @param lease how long the store keeps the tenure without renewal
 * @param tokens how many fencing tokens are wanted; the store may give more or fewer, at least one
 * @param notAfter the server time, in microseconds of {@link ServerClock}, after which the request must not be applied
 * @param safety where a grant has to be before it is answered; {@link Safety#async} if the store {@linkplain
 *     StoreProvider#replicates has nothing else}
 */
public record Acquire(
        String name,
        TenureId tenure,
        Share share,
        Queueing queueing,
        long arrival,
        List<Place> behind,
        Duration lease,
        long tokens,
        long notAfter,
        Safety safety) {

    /** How to wait. */
    public enum Queueing {
        /** Not at all. */
        NONE,
        /** In a place that is woken when its turn comes; others may be faster. */
        BARGING,
        /** In a place to which the name is assigned when its turn comes; who came later does not get the name before. */
        FAIR
    }

    /**
     * A place in the queue.
     *
     * @param tenure whose
     * @param arrival where it was before; 0 for a new one
     * @param lease how long the store keeps that tenure without renewal, if it is granted
     */
    public record Place(TenureId tenure, long arrival, Duration lease) {}

    /** Copies the list. */
    public Acquire {
        behind = List.copyOf(behind);
    }

    /** A request for a lock that does not wait, for one token, and is never late. */
    public static Acquire of(String name, TenureId tenure, Duration lease) {
        return new Acquire(
                name, tenure, Share.LOCK, Queueing.NONE, 0, List.of(), lease, 1, Long.MAX_VALUE, Safety.async());
    }

    /** The same for another name. */
    public Acquire withName(String value) {
        return new Acquire(value, tenure, share, queueing, arrival, behind, lease, tokens, notAfter, safety);
    }

    /** The same for another share. */
    public Acquire withShare(Share value) {
        return new Acquire(name, tenure, value, queueing, arrival, behind, lease, tokens, notAfter, safety);
    }

    /** The same, waiting in this way. */
    public Acquire queued(Queueing how, long arrivalBefore) {
        return new Acquire(name, tenure, share, how, arrivalBefore, behind, lease, tokens, notAfter, safety);
    }

    /** The same, with further places. */
    public Acquire withBehind(List<Place> value) {
        return new Acquire(name, tenure, share, queueing, arrival, value, lease, tokens, notAfter, safety);
    }

    /** The same for another lease. */
    public Acquire withLease(Duration value) {
        return new Acquire(name, tenure, share, queueing, arrival, behind, value, tokens, notAfter, safety);
    }

    /** The same for so many tokens. */
    public Acquire withTokens(long value) {
        return new Acquire(name, tenure, share, queueing, arrival, behind, lease, value, notAfter, safety);
    }

    /** The same, to be refused later than this. */
    public Acquire withNotAfter(long value) {
        return new Acquire(name, tenure, share, queueing, arrival, behind, lease, tokens, value, safety);
    }

    /** The same, to be granted where this says. */
    public Acquire withSafety(Safety value) {
        return new Acquire(name, tenure, share, queueing, arrival, behind, lease, tokens, notAfter, value);
    }

    /** The answer. */
    public sealed interface Reply {

        /** The server's time at the decision, in microseconds. */
        long serverMicros();
    }

    /**
     * The tenure holds the name, for the lease from the decision on.
     *
     * @param tokens tokens for this tenure, all higher than any given for the name before
     * @param foreignWaiters how many other clients wait, as far as known
     * @param behind the arrivals of {@link Acquire#behind}, in their order
     * @param permits how many permits of a semaphore the tenure has; 0 for what is no semaphore
     * @param serverMicros the server's time
     */
    public record Granted(TokenBlock tokens, int foreignWaiters, List<Long> behind, int permits, long serverMicros)
            implements Reply {

        /** For what is no semaphore. */
        public Granted(TokenBlock tokens, int foreignWaiters, List<Long> behind, long serverMicros) {
            this(tokens, foreignWaiters, behind, 0, serverMicros);
        }
    }

    /**
     * Another tenure holds the name, or too many permits of it.
     *
     * @param retryAfter when its lease ends, from now
     * @param arrival the place in the queue; 0 if there is none
     * @param behind the arrivals of {@link Acquire#behind}, in their order
     * @param holder who holds it, as the store keeps it; a {@link TenureId} for holders of this library
     * @param serverMicros the server's time
     * @param run the run of the server that decided, for {@link Signal.Assigned#run}; 0 if not known for certain,
     *     or if what is assigned is not where {@link Acquire#safety} wants it, so that it has to be asked for
     */
    public record Refused(
            Duration retryAfter, long arrival, List<Long> behind, Optional<String> holder, long serverMicros, long run)
            implements Reply {}

    /**
     * The request came after its {@link Acquire#notAfter}; nothing was written. To be sent anew.
     *
     * @param serverMicros the server's time
     */
    public record Late(long serverMicros) implements Reply {}
}
