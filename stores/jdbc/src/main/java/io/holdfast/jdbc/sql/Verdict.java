package io.holdfast.jdbc.sql;

/** What a failed statement says about its effect. */
public enum Verdict {
    /** Another transaction was faster, and nothing was written. The statement may succeed if it is repeated from the read. */
    AGAIN,
    /** Another transaction keeps the row locked, and nothing was written. */
    LOCKED,
    /** Nothing was written. */
    NOT_APPLIED,
    /** Nothing was written, and nothing will be until somebody repairs the cause. */
    REFUSED,
    /** The statement may have been applied. */
    UNKNOWN
}
