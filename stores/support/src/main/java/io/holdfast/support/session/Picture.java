package io.holdfast.support.session;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import java.util.HashMap;
import java.util.Map;
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
 *   <li>A lease is also over when this client has watched it for as long as it had left at the first sight, however often the
 *       record was written since. Otherwise the clock of a busy record would hardly advance, because no version is known for long.
 *   <li>A hold whose session has ended, and which is kept nevertheless, is over by the wall clock of the client that reads it.
 *       Nobody relies on such a hold, and its end must not wait for a client that watches.
 * </ol>
 *
 * <p>DynamoDB's lock client observes a record in this way, too.
 *
 * @param version the version at the server
 * @param record the record
 * @param session the session in which this client has read or written it
 * @param seen the {@code nanoTime} since which this client has known the version
 * @param ends the ends of the leases that do not last as long as their session, as this client has watched them
 */
record Picture(long version, LockRecord record, String session, long seen, Map<TenureId, End> ends) {

    /**
     * The end of a lease.
     *
     * @param expires the end by the clock of the record
     * @param nanos the {@code nanoTime} at which it is over for certain
     */
    record End(long expires, long nanos) {}

    /** Returns the picture of a record that this client sees for the first time. */
    static Picture of(long version, LockRecord record, String session, long nanos) {
        Map<TenureId, End> ends = new HashMap<>();
        for (Holder holder : record.holders().all()) {
            if (holder.expires() != LockRecord.NEVER && record.at().isPresent()) {
                long left = Math.max(0, holder.expires() - record.at().getAsLong());
                ends.put(holder.tenure(), new End(holder.expires(), nanos + left * 1_000));
            }
        }
        return new Picture(version, record, session, nanos, ends);
    }

    /**
     * Returns this picture with what an earlier one of the name has watched. A version alone does not prove that the record is the
     * same, because a store may count the versions of a record anew that was deleted.
     */
    Picture after(Picture earlier) {
        boolean same = earlier.version == version && earlier.record.equals(record);
        Map<TenureId, End> watched = new HashMap<>(ends);
        watched.replaceAll((tenure, end) -> Optional.ofNullable(earlier.ends.get(tenure))
                .filter(before -> before.expires == end.expires)
                .orElse(end));
        return new Picture(version, record, session, same ? earlier.seen : seen, watched);
    }

    /**
     * Returns the circumstances of a decision on this record.
     *
     * @param clock the time of the store's clock
     */
    Moment moment(long nanos, long clock, long wallMillis, String asking) {
        long wall = wallMillis * 1_000;
        long own = record.at().isPresent() ? record.at().getAsLong() + (nanos - seen) / 1_000 : wall;
        return new Moment(
                canExpire() ? own : Math.max(own, wall), clock, wall, SessionRecords.RUN, Optional.of(asking));
    }

    private boolean canExpire() {
        return !record.queue().isEmpty()
                || !record.changes().all().isEmpty()
                || record.latch().isPresent()
                || record.holders().all().stream().anyMatch(holder -> holder.expires() != LockRecord.NEVER);
    }

    /** Returns a record of this picture without the leases that are over for certain. */
    LockRecord withoutWatchedLeases(LockRecord living, Moment moment, long nanos) {
        LockRecord left = living;
        for (Map.Entry<TenureId, End> each : ends.entrySet()) {
            if (nanos - each.getValue().nanos >= 0) {
                left = left.endLease(each.getKey(), moment.now());
            }
        }
        return left;
    }

    /** Returns the number of waiters that is reported to a holder of the given client. */
    int waiters(Mode mode, String clientId) {
        return mode == Mode.PERMITS ? record.queue().size() : record.queue().clientsBeyondHandoffOf(clientId);
    }
}
