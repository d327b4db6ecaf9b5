package io.holdfast.spi;

/**
 * The id of a tenure: the hold of one client under one name, or its request for it. It is never used again after the tenure
 * ended.
 *
 * <p>The id says whether the tenure may linger, instead of a flag in each request. Everything that names a tenure reaches the
 * store by its id: renewals, releases and their repeated copies, positions that a release withdraws, the tenure that a share is
 * beside, and the holder in a refusal. A store may find a tenure only by a key that is made of the id, as the field of a hash in
 * Redis. That store keeps nothing else of a tenure, so with a flag outside the id, all of these would have to carry the flag
 * only to form that key.
 *
 * @param clientId the random id of the client
 * @param number a number that rises within the client. It is negative if the tenure may linger: its client may keep it for a
 *     while without an owner, and has to be notified of every request that is refused because of it
 */
public record TenureId(String clientId, long number) {

    /** Returns the id of the same tenure as one that may linger. Call it before the tenure is requested for the first time. */
    public TenureId lingering() {
        return new TenureId(clientId, -Math.abs(number));
    }

    /** Returns {@code true} if the client may keep the tenure without an owner. */
    public boolean lingers() {
        return number < 0;
    }

    /**
     * Returns {@code true} if the given holder may linger, in the form in which stores keep it. It may not be a tenure of this
     * library.
     */
    public static boolean lingers(String holder) {
        return holder.contains(":-");
    }

    /** Returns {@code clientId:number}, the form in which stores keep the id. */
    @Override
    public String toString() {
        return clientId + ':' + number;
    }

    /**
     * Parses a text that {@link #toString} returned.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static TenureId parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("not a tenure: " + text);
        }
        return new TenureId(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
    }
}
