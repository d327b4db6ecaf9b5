package io.holdfast.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A request to acquire a name; see {@link LockStore#acquire}.
 *
 * @param name the name of the lock
 * @param tenure the tenure that requests the name
 * @param share the requested share of the name
 * @param queueing the kind of position to take in the wait queue if the request is refused, or none
 * @param arrival the earlier position of the tenure in the queue, from {@link Refused#arrival}; 0 for none
 * @param waited the time for which the tenure has waited at its client before it asks for a position; see {@link Place#waited}
 * @param behind further positions of the same client, all fair, in the order of their arrival. They are queued independently of
 *     the result for the tenure
 * @param lease the time for which the store keeps the tenure without renewal
 * @param minHold the part of the lease, from its beginning, for which the store keeps the tenure even if the client ends;
 *     zero if the store may end the tenure with the client
 * @param tokens the number of requested fencing tokens; the store may issue more or fewer, but at least one
 * @param notAfter the server time, in microseconds of {@link ServerClock}, after which the request must not be applied
 */
public record Acquire(
        String name,
        TenureId tenure,
        Share share,
        Queueing queueing,
        long arrival,
        Duration waited,
        List<Place> behind,
        Duration lease,
        Duration minHold,
        long tokens,
        long notAfter) {

    /** The way to wait. */
    public enum Queueing {
        /** Does not wait. */
        NONE,
        /** Waits in a position that is woken when its turn comes. Another request may acquire the name first (barging). */
        BARGING,
        /**
         * Waits in a position to which the name is assigned when its turn comes. No later request acquires the name before it.
         */
        FAIR
    }

    /**
     * A position in the wait queue.
     *
     * @param tenure the tenure that waits
     * @param arrival its earlier position; 0 for a new one
     * @param lease the time for which the store keeps that tenure without renewal, if it is granted
     * @param waited the time for which the tenure has waited at its client. A store with a limit of
     *     {@link Capabilities#fairPlaces} orders a new position as if it had arrived that long ago, but behind the other
     *     positions of its client. A store without a limit may ignore it
     */
    public record Place(TenureId tenure, long arrival, Duration lease, Duration waited) {

        /** Creates a position of a tenure that has not waited. */
        public Place(TenureId tenure, long arrival, Duration lease) {
            this(tenure, arrival, lease, Duration.ZERO);
        }
    }

    /** Copies the list. */
    public Acquire {
        behind = List.copyOf(behind);
    }

    /** Returns a request for a lock that does not wait, asks for one token, and is never late. */
    public static Acquire of(String name, TenureId tenure, Duration lease) {
        return new Acquire(
                name,
                tenure,
                Share.LOCK,
                Queueing.NONE,
                0,
                Duration.ZERO,
                List.of(),
                lease,
                Duration.ZERO,
                1,
                Long.MAX_VALUE);
    }

    /** Returns a copy of this request for another name. */
    public Acquire withName(String value) {
        return new Acquire(value, tenure, share, queueing, arrival, waited, behind, lease, minHold, tokens, notAfter);
    }

    /** Returns a copy of this request for another share. */
    public Acquire withShare(Share value) {
        return new Acquire(name, tenure, value, queueing, arrival, waited, behind, lease, minHold, tokens, notAfter);
    }

    /** Returns a copy of this request that waits in the given way. */
    public Acquire queued(Queueing how, long arrivalBefore) {
        return new Acquire(name, tenure, share, how, arrivalBefore, waited, behind, lease, minHold, tokens, notAfter);
    }

    /** Returns a copy of this request of a tenure that has waited for the given time. */
    public Acquire withWaited(Duration value) {
        return new Acquire(name, tenure, share, queueing, arrival, value, behind, lease, minHold, tokens, notAfter);
    }

    /** Returns a copy of this request with the given further positions. */
    public Acquire withBehind(List<Place> value) {
        return new Acquire(name, tenure, share, queueing, arrival, waited, value, lease, minHold, tokens, notAfter);
    }

    /** Returns a copy of this request for another lease. */
    public Acquire withLease(Duration value) {
        return new Acquire(name, tenure, share, queueing, arrival, waited, behind, value, minHold, tokens, notAfter);
    }

    /** Returns a copy of this request for a tenure that stays for the given time even if the client ends. */
    public Acquire withMinHold(Duration value) {
        return new Acquire(name, tenure, share, queueing, arrival, waited, behind, lease, value, tokens, notAfter);
    }

    /** Returns a copy of this request for the given number of tokens. */
    public Acquire withTokens(long value) {
        return new Acquire(name, tenure, share, queueing, arrival, waited, behind, lease, minHold, value, notAfter);
    }

    /** Returns a copy of this request that is refused after the given server time. */
    public Acquire withNotAfter(long value) {
        return new Acquire(name, tenure, share, queueing, arrival, waited, behind, lease, minHold, tokens, value);
    }

    /** The reply to a request. */
    public sealed interface Reply {

        /** Returns the server's time at the decision, in microseconds. */
        long serverMicros();
    }

    /**
     * A reply that grants the name. The tenure holds the name for the lease, which begins at the decision.
     *
     * @param tokens tokens for this tenure, all higher than any token that was issued for the name before
     * @param valid the time for which the store keeps the tenure without renewal, from when the request was sent. It is the
     *     requested lease, or less if the store cannot promise that
     * @param foreignWaiters the number of other clients that wait, as far as known
     * @param behind the arrivals of {@link Acquire#behind}, in their order
     * @param permits the number of permits of a semaphore that the tenure holds; 0 for a name that is not a semaphore
     * @param serverMicros the server's time, in microseconds
     */
    public record Granted(
            TokenBlock tokens, Duration valid, int foreignWaiters, List<Long> behind, int permits, long serverMicros)
            implements Reply {}

    /**
     * A reply that refuses the name: another tenure holds it, too few of its permits are free, or other waiters come first.
     *
     * @param retryAfter the time from now until the lease of the conflicting tenure ends
     * @param arrival the position in the queue; 0 if there is none. If the request asked for a position, 0 says that the queue
     *     has no room for it, or that it could not be written. The engine then polls
     * @param behind the arrivals of {@link Acquire#behind}, in their order; 0 for each for which the queue has no room
     * @param holder the holder, in the form in which the store keeps it; a {@link TenureId} for holders of this library
     * @param serverMicros the server's time, in microseconds
     * @param run the run of the server that decided, for {@link Signal.Assigned#run}. It is 0 if it is not known for certain.
     *     It is also 0 if an assignment does not reach the replicas or disks that {@link StoreConfig#safety} requires. Then the
     *     client has to request an assigned name
     */
    public record Refused(
            Duration retryAfter, long arrival, List<Long> behind, Optional<String> holder, long serverMicros, long run)
            implements Reply {

        /** Returns a copy of this reply with other positions. */
        public Refused withPositions(long ofRequest, List<Long> ofBehind) {
            return new Refused(retryAfter, ofRequest, ofBehind, holder, serverMicros, run);
        }
    }

    /**
     * A reply to a request that arrived after its {@link Acquire#notAfter}. Nothing was written, and the request has to be sent
     * again. A store whose server has no clock gives this reply itself, instead of sending the request.
     *
     * @param serverMicros the server's time, in microseconds
     */
    public record Late(long serverMicros) implements Reply {}
}
