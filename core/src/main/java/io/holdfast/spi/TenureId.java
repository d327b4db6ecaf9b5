package io.holdfast.spi;

/**
 * What one client holds, or asks for, under one name: never used again once it was given up.
 *
 * @param clientId the random id of the client
 * @param number counts up within the client; below zero where the tenure may linger: its client may keep it for a while
 *     though nobody owns it, and wants to hear of everybody who is refused because of it
 */
public record TenureId(String clientId, long number) {

    /** The same tenure, as one that may linger. To be said before it is asked for the first time. */
    public TenureId lingering() {
        return new TenureId(clientId, -Math.abs(number));
    }

    /** Whether its client may keep it though nobody owns it. */
    public boolean lingers() {
        return number < 0;
    }

    /** The same of a holder as stores keep it, which may be no tenure of this library. */
    public static boolean lingers(String holder) {
        return holder.contains(":-");
    }

    /** {@code clientId:number}, the form stores keep. */
    @Override
    public String toString() {
        return clientId + ':' + number;
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static TenureId parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("not a tenure: " + text);
        }
        return new TenureId(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
    }
}
