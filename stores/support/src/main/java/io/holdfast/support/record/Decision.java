package io.holdfast.support.record;

import java.util.List;

/**
 * The decision of a request.
 *
 * @param record the record to write; equal to the present one if there is nothing to write
 * @param reply the reply to the client, to send after the record was written
 * @param notices the signals to send after the record was written
 */
public record Decision<R>(LockRecord record, R reply, List<Notice> notices) {

    /** Copies the list. */
    public Decision {
        notices = List.copyOf(notices);
    }
}
