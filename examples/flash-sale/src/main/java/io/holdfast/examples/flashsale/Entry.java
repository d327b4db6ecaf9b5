package io.holdfast.examples.flashsale;

import java.util.Map;

/**
 * An entry in the stream of orders or of the journal.
 *
 * @param what the kind of event
 * @param seller the seller
 * @param number the number of the purchase of that seller
 */
record Entry(String what, Seller seller, long number) {

    static final String FIELD = "sale";
    static final String BEGIN = "BEGIN";
    static final String END = "END";
    static final String ORDER = "ORDER";

    Map<String, String> toFields() {
        return Map.of(FIELD, toText());
    }

    String toText() {
        return what + " " + seller.process() + " " + seller.thread() + " " + number;
    }

    static Entry of(Map<String, String> fields) {
        String[] parts = String.valueOf(fields.get(FIELD)).split(" ", -1);
        Seller seller = new Seller(Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
        return new Entry(parts[0], seller, Long.parseLong(parts[3]));
    }
}
