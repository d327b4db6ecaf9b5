package io.holdfast.support.session;

import io.holdfast.support.record.Notice;
import io.holdfast.support.store.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A session of this client at the servers.
 *
 * <p>The requests of a session are applied in the order in which they are sent, and none is applied after the session has ended.
 * So a later answer proves that no copy of an earlier request is applied any more. A failure completes the stage, with a {@link
 * io.holdfast.spi.StoreException} that states whether the request may have been applied.
 */
public interface Session {

    /** Returns the id of the session, which no other session has had before. */
    String id();

    /** Returns the time for which the servers keep the session without a sign of life. */
    Duration timeout();

    /** Returns the time until which the servers certainly keep the session. */
    SessionValidity validity();

    /**
     * Asks the servers whether they keep the session. The answer extends the {@link #validity}. A request that is under way serves
     * this call as well.
     */
    CompletionStage<Void> confirm();

    /** Reads a record as it is at some time after this call. */
    CompletionStage<Node> read(RecordKey key);

    /**
     * Writes a record, and sends notices to other sessions, all or nothing.
     *
     * @param version the version that was read
     * @return the new version; empty if nothing was done, because the record has another version now, or because a session that a
     *     notice was for has ended
     */
    CompletionStage<OptionalLong> write(RecordKey key, long version, String text, List<Notice> notices);

    /** Sends notices without writing the record; otherwise like {@link #write}. */
    CompletionStage<OptionalLong> send(RecordKey key, long version, List<Notice> notices);

    /** Returns those of the sessions that have ended. */
    CompletionStage<Set<String>> ended(Set<String> sessions);

    /** Reads the records of all names below a prefix. */
    CompletionStage<Map<RecordKey, Node>> list(RecordKey prefix);
}
