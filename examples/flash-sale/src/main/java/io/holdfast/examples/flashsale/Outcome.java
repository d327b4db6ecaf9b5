package io.holdfast.examples.flashsale;

/** The outcome of a purchase. */
enum Outcome {
    SOLD,
    /** No item was left. */
    SOLD_OUT,
    /** Redis refused the purchase, because the shelf belongs to a later holder. Nothing was sold. */
    FENCED_OFF
}
