package io.holdfast.testkit.faults;

/** What can go wrong between a client and its store. */
public enum Fault {
    /** The request does not reach the store, and nobody says so. */
    DROP_REQUEST,
    /** The request is applied; its reply is lost. */
    DROP_REPLY,
    /** The request is applied later. */
    DELAY_REQUEST,
    /** The request is applied now; its reply comes later. */
    DELAY_REPLY,
    /** The request is applied now, and once more later. */
    DOUBLE_REQUEST,
    /** The request is refused before it reaches the store, as {@code NOT_APPLIED}. */
    FAIL_BEFORE,
    /** The request is applied, and answered by an {@code UNKNOWN} error. */
    FAIL_AFTER,
    /** The signal is lost. */
    DROP_SIGNAL,
    /** The signal comes later, others overtake it. */
    DELAY_SIGNAL,
    /** The signal comes now, and once more later. */
    DOUBLE_SIGNAL;

    boolean isOf(Operation operation) {
        boolean ofSignals = switch (this) {
            case DROP_SIGNAL, DELAY_SIGNAL, DOUBLE_SIGNAL -> true;
            default -> false;
        };
        return ofSignals == (operation == Operation.SIGNAL);
    }
}
