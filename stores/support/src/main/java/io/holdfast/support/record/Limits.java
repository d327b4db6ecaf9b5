package io.holdfast.support.record;

/**
 * The limits that a store sets for the record of one name.
 *
 * @param claimMicros the longest first lease of an assigned name, the claim window
 * @param places the number of positions in the queue, and of clients that listen to a latch; beyond that, a request is refused
 *     without a position, and a client is not notified
 * @param fairPlaces the number of fair positions of one client
 * @param holders the number of holders, and of clients whose changes of a counter are remembered; beyond that, a request fails
 * @param changes the number of changes of a counter that are remembered of one client. A client should not have more under way,
 *     because a change that is older than all of them fails: it may have been applied
 */
public record Limits(long claimMicros, int places, int fairPlaces, int holders, int changes) {

    /** The limits of a store that writes the whole record for each change of it. */
    public static final Limits STANDARD = new Limits(1_000_000, 256, 16, 1_000, 1);

    /** The limits of a store that has none. */
    public static final Limits NONE =
            new Limits(1_000_000, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Returns a copy with the given claim window. */
    public Limits withClaimMicros(long value) {
        return new Limits(value, places, fairPlaces, holders, changes);
    }
}
