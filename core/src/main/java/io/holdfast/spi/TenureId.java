package io.holdfast.spi;

/**
 * The id of a tenure. A tenure is the hold of one client under one name, or the client's request for it. The id is never used
 * again after the tenure has ended.
 *
 * <p>The sign of the number says whether the tenure may linger. This is not a flag in each request, because many messages refer
 * to a tenure: renewals, releases and their repeated copies, positions that a release withdraws, the tenure that a share is
 * beside, and the holder in a refusal. A store may keep nothing of a tenure but a key that is made of its id, such as the field
 * of a hash in Redis. With a separate flag, all these messages would have to carry the flag to form that key.
 *
 * @param clientId the random id of the client
 * @param number a number whose absolute value rises within the client. It is negative if the tenure may linger: its client may
 *     hold it for a while without an owner, and has to be notified of every request that is refused because of it
 */
public record TenureId(String clientId, long number) {

    /** Returns the id of this tenure as one that may linger. Call it before the tenure is requested for the first time. */
    public TenureId lingering() {
        return new TenureId(clientId, -Math.abs(number));
    }

    /** Returns {@code true} if the client may hold the tenure without an owner. */
    public boolean lingers() {
        return number < 0;
    }

    /**
     * Returns {@code true} if the given holder may linger. The holder may belong to another library.
     *
     * @param holder a holder in the form in which stores keep it
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
