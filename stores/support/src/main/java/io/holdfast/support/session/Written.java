package io.holdfast.support.session;

import java.util.Set;

/** The result of a write that has an answer. */
public sealed interface Written {

    /** The record was written, and now has the given version. */
    record Done(long version) implements Written {}

    /** Nothing was written, because another client has written the record. */
    record Stale() implements Written {}

    /** Nothing was written, because sessions that a notice was for have ended. */
    record Ended(Set<String> sessions) implements Written {}
}
