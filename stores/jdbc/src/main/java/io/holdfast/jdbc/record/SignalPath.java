package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Message;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.store.RecordKey;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The way in which a client receives signals about what other clients have written. */
interface SignalPath extends AutoCloseable {

    /** Returns the messages that a write has to send to other clients. */
    List<Message> messages(RecordKey key, List<Notice> notices);

    /** Begins a write of this client. What the client itself writes is no signal. */
    void begin(RecordKey key);

    /** Ends a write, after it was reported. */
    void end(RecordKey key);

    /**
     * Reports a record that a request of this client has read. What other clients have written since the last reading becomes
     * signals.
     *
     * @param version the number of the write
     */
    void found(RecordKey key, long version, LockRecord record, Moment moment);

    /**
     * Reports a record that a request of this client has written, or has left as it was. If the client waits there, it receives
     * signals about later writes from now on.
     *
     * @param version the number of the write
     */
    void left(RecordKey key, long version, LockRecord record);

    /** Returns the names for which this client waits. */
    Set<RecordKey> awaited();

    /** Proves that signals arrive, as {@link io.holdfast.spi.LockStore#confirmSignals}. */
    CompletionStage<Void> confirm();

    @Override
    void close();
}
