package io.holdfast.spi;

import java.util.List;

/**
 * A request to release a name; see {@link LockStore#release}.
 *
 * @param name the name of the lock
 * @param tenure the tenure that releases it, which is never acquired again
 * @param mode the mode in which it holds the name, or waits for it
 * @param yield {@code true} to assign the name to the first waiting client; {@code false} to free it and wake one client
 * @param lastToken the highest token that was used. The store may reuse the rest of the block. 0 forbids the reuse, and is
 *     required if the tenure set a {@linkplain Renew#floor floor}
 * @param keptToken the highest token that is known to have been issued to the tenure and that this request does not return; 0 if
 *     none is known. A store that {@linkplain Capabilities#marksReleases marks releases} needs it for {@link Reply#lost}
 * @param places further positions of the same client to withdraw, because their owners no longer need them
 */
public record Release(
        String name,
        TenureId tenure,
        Share.Mode mode,
        boolean yield,
        long lastToken,
        long keptToken,
        List<TenureId> places) {

    /** Copies the list. */
    public Release {
        places = List.copyOf(places);
    }

    /** Returns a request to release a lock without assigning it. */
    public static Release of(String name, TenureId tenure) {
        return new Release(name, tenure, Share.Mode.LOCK, false, 0, 0, List.of());
    }

    /** Returns a copy of this request for a name that is held in the given mode. */
    public Release withMode(Share.Mode value) {
        return new Release(name, tenure, value, yield, lastToken, keptToken, places);
    }

    /** Returns a copy of this request that assigns the name or does not. */
    public Release withYield(boolean value) {
        return new Release(name, tenure, mode, value, lastToken, keptToken, places);
    }

    /** Returns a copy of this request that allows the store to reuse the tokens after the given one. */
    public Release withLastToken(long value) {
        return new Release(name, tenure, mode, yield, value, keptToken, places);
    }

    /** Returns a copy of this request that states the highest token of the tenure that is not returned. */
    public Release withKeptToken(long value) {
        return new Release(name, tenure, mode, yield, lastToken, value, places);
    }

    /** Returns a copy of this request that withdraws the given further positions. */
    public Release withPlaces(List<TenureId> value) {
        return new Release(name, tenure, mode, yield, lastToken, keptToken, value);
    }

    /**
     * The reply to a request.
     *
     * @param held {@code true} if the tenure held the name until this request
     * @param foreignWaiters the number of other clients that wait, as far as known
     * @param serverMicros the server's time, in microseconds
     * @param lost {@code true} if the tenure did not hold the name, and the store knows that no earlier copy of the request has
     *     ended the hold. So the hold was lost
     */
    public record Reply(boolean held, int foreignWaiters, long serverMicros, boolean lost) {

        /** Creates a reply of a store that does not know who has ended a hold. */
        public Reply(boolean held, int foreignWaiters, long serverMicros) {
            this(held, foreignWaiters, serverMicros, false);
        }
    }
}
