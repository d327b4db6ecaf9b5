package io.holdfast.spi;

/**
 * What one client holds, or asks for, under one name: never used again once it was given up.
 *
 * @param clientId the random id of the client
 * @param number counts up within the client
 */
public record TenureId(String clientId, long number) {

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
