package io.holdfast.support.session;

import io.holdfast.spi.Share.Mode;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import java.util.Optional;

/**
 * A record as this client last read or wrote it.
 *
 * <p>The servers have no clock that a client can read, so a record carries a clock of its own: the time at which it was written.
 * A client adds the time for which it has known this version. Invariants:
 *
 * <ol>
 *   <li>The clock of a record never goes back, because each writer stores its time.
 *   <li>It is never faster than a second a second, because no time is counted twice. So nothing in a record expires early. It
 *       stands still while no client knows the version, so things may expire late.
 *   <li>If nothing in the record can expire, its clock may be set forward. It is set to the wall clock, for the times in
 *       reports.
 * </ol>
 *
 * <p>DynamoDB's lock client observes a record in this way, too.
 *
 * @param version the version at the server
 * @param record the record
 * @param seen the {@code nanoTime} since which this client has known the version
 */
record Picture(long version, LockRecord record, long seen) {

    /**
     * Returns the circumstances of a decision on this record.
     *
     * @param clock the time of the store's clock
     */
    Moment moment(long nanos, long clock, long wallMillis, String session) {
        long wall = wallMillis * 1_000;
        long own = record.at().isPresent() ? record.at().getAsLong() + (nanos - seen) / 1_000 : wall;
        return new Moment(canExpire() ? own : Math.max(own, wall), clock, SessionRecords.RUN, Optional.of(session));
    }

    private boolean canExpire() {
        return !record.queue().isEmpty()
                || !record.changes().all().isEmpty()
                || record.latch().isPresent()
                || record.holders().all().stream().anyMatch(holder -> holder.expires() != LockRecord.NEVER);
    }

    /**
     * Returns this picture as it was first seen. A version alone does not prove that the record is the same, because a store may
     * count the versions of a record anew that was deleted.
     */
    Picture since(Optional<Picture> earlier) {
        return earlier.filter(known -> known.version == version && known.record.equals(record))
                .orElse(this);
    }

    /** Returns the number of waiters that is reported to a holder of the given client. */
    int waiters(Mode mode, String clientId) {
        return mode == Mode.PERMITS ? record.queue().size() : record.queue().clientsBeyondHandoffOf(clientId);
    }
}
