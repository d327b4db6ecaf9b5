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
    /** A table does not exist, so nothing was written. The next request makes it, or says that it may not. */
    NO_TABLE,
    /** A table has other columns. */
    OTHER_TABLE,
    /** The statement may have been applied. */
    UNKNOWN;

    /** Returns {@code true} if somebody has to repair the cause. */
    public boolean isPermanent() {
        return switch (this) {
            case REFUSED, OTHER_TABLE -> true;
            case AGAIN, LOCKED, NOT_APPLIED, NO_TABLE, UNKNOWN -> false;
        };
    }
}
