package io.holdfast.examples.flashsale;

/** What happens once in a sale to one seller, between check and write. */
public enum Accident {
    /** Its process ends, without any cleaning up. */
    HALT,
    /** It takes longer than a lease, as in a long pause of the garbage collector, or for a slow payment. */
    SLOW
}
