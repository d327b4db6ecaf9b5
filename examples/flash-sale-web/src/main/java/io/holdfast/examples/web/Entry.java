package io.holdfast.examples.web;

/**
 * An entry in the sales journal.
 *
 * @param event what happened
 * @param instance the number of the instance
 * @param number the number of the purchase in its instance
 * @param shelf the part of the stock that is sold from; with {@link Way#ALLOTMENT}, the number of the share
 * @param token the fencing token of the write, or 0 if the way has none
 */
public record Entry(Event event, int instance, long number, int shelf, long token) {

    /** What happened. */
    public enum Event {
        /** A purchase has read the stock, and is going to write it. */
        READ,
        /** A purchase ends without an order, because its fencing token is older than that of another write. */
        REFUSED,
        /** An item was sold. Stock and entry are written in one step. */
        ORDER
    }

    Entry as(Event next) {
        return new Entry(next, instance, number, shelf, token);
    }

    /** Returns the text for the store. */
    public String toText() {
        return event + " " + instance + " " + number + " " + shelf + " " + token;
    }

    /** Returns the entry of a text. */
    public static Entry of(String text) {
        String[] parts = text.split(" ", -1);
        return new Entry(
                Event.valueOf(parts[0]),
                Integer.parseInt(parts[1]),
                Long.parseLong(parts[2]),
                Integer.parseInt(parts[3]),
                Long.parseLong(parts[4]));
    }
}
