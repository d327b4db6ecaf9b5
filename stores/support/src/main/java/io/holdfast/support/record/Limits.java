package io.holdfast.support.record;

/**
 * The limits that a store sets for the record of one name.
 *
 * @param claimMicros the claim window: the longest first lease of an assigned name, in microseconds
 * @param places the maximum number of positions in the queue, and of clients that listen to a latch. Beyond that, a request is
 *     refused without a position, and a client is not notified
 * @param bargingPlaces the maximum number of positions that are not fair. A position and its withdrawal cost a write of the record
 *     each, and the writes of a crowd delay those of the holder. Waiters beyond those that are soon served cost less if they poll
 * @param fairPlaces the maximum number of fair positions of one client
 * @param holders the maximum number of holders, and of clients whose changes of a counter are remembered. Beyond that, a request
 *     fails
 * @param changes the number of changes of a counter that are remembered for one client. A client should not have more changes
 *     under way. A change that is older than all remembered ones fails, because it may have been applied already
 */
public record Limits(long claimMicros, int places, int bargingPlaces, int fairPlaces, int holders, int changes) {

    /** The limits of a store that writes the whole record for each change. */
    public static final Limits STANDARD = new Limits(1_000_000, 256, 256, 16, 1_000, 1);

    /** The limits of a store without limits. */
    public static final Limits NONE = new Limits(
            1_000_000, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Returns a copy with the given claim window. */
    public Limits withClaimMicros(long value) {
        return new Limits(value, places, bargingPlaces, fairPlaces, holders, changes);
    }

    /** Returns a copy with the given number of positions that are not fair. */
    public Limits withBargingPlaces(int value) {
        return new Limits(claimMicros, places, value, fairPlaces, holders, changes);
    }
}
