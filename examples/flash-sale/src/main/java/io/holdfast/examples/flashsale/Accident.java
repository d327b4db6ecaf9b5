package io.holdfast.examples.flashsale;

/** A fault that is injected once in a flash sale, into one seller, between check and write. */
public enum Accident {
    /** The process is halted, without any clean-up. */
    HALT,
    /** The purchase takes longer than a lease, like a long garbage collection or a slow payment. */
    SLOW
}
