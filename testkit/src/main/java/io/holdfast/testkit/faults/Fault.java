package io.holdfast.testkit.faults;

/** A fault between a client and its store. */
public enum Fault {
    /** The request does not reach the store, and no error is reported. */
    DROP_REQUEST,
    /** The request is applied, and its reply is lost. */
    DROP_REPLY,
    /** The request is applied later. */
    DELAY_REQUEST,
    /** The request is applied now, and its reply arrives later. */
    DELAY_REPLY,
    /** The request is applied now, and again later. */
    DOUBLE_REQUEST,
    /** The request is refused before it reaches the store, as {@code NOT_APPLIED}. */
    FAIL_BEFORE,
    /** The request is applied, and answered by an {@code UNKNOWN} error. */
    FAIL_AFTER,
    /** The signal is lost. */
    DROP_SIGNAL,
    /** The signal arrives later, and others overtake it. */
    DELAY_SIGNAL,
    /** The signal arrives now, and again later. */
    DOUBLE_SIGNAL;

    boolean isOf(Operation operation) {
        boolean ofSignals = switch (this) {
            case DROP_SIGNAL, DELAY_SIGNAL, DOUBLE_SIGNAL -> true;
            default -> false;
        };
        return ofSignals == (operation == Operation.SIGNAL);
    }
}
