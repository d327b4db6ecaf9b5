package io.holdfast.examples.flashsale;

/** An event that costs a seller time, but no item, because Redis refuses the writes of earlier holders. */
public enum Setback {
    /** A hold was lost before its seller released it, for example because its process was stopped for too long. */
    LOST_HOLD,
    /** Redis refused a purchase, because a later holder had come. The purchase is repeated. */
    FENCED_OFF
}
