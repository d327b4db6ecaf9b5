package io.holdfast.jdbc;

import io.holdfast.LockReport;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.TokenUnits;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The row of a name in the table. Times are in microseconds of the database's clock.
 *
 * @param tenure the last tenure of the name; empty if it was released
 * @param client the record of the client of that tenure
 * @param expires the end of its lease
 * @param lastUnit the highest token unit issued; 0 for none
 * @param now the time at which the row was read
 */
record Row(Optional<String> tenure, String client, long expires, long lastUnit, long now) {

    /** Reads tenure, client, end of the lease, last unit and time, in this order. */
    static Row read(ResultSet result) throws SQLException {
        return new Row(
                Optional.ofNullable(result.getString(1)),
                Optional.ofNullable(result.getString(2)).orElse(""),
                result.getLong(3),
                result.getLong(4),
                result.getLong(5));
    }

    /** Returns the present row; if there is none, only the time is set. */
    static Row find(Connection connection, byte[] key) throws SQLException {
        return Transactions.query(connection, Sql.FIND_ROW, Row::read, (Object) key)
                .get(0);
    }

    boolean isHeld() {
        return tenure.isPresent() && expires > now;
    }

    boolean isHeldBy(TenureId other) {
        return isHeld() && tenure.get().equals(other.toString());
    }

    Duration left() {
        return Duration.of(expires - now, ChronoUnit.MICROS);
    }

    /** Returns the holder, if the name is held. */
    Optional<LockReport.Holder> holder() {
        return tenure.filter(any -> isHeld())
                .map(holder -> HoldDescription.holder(client(holder), Mode.LOCK, Optional.empty(), left()));
    }

    /** Returns the client of a tenure. It accepts any text, because a person may have written the row. */
    private LockReport.Client client(String holder) {
        int colon = holder.lastIndexOf(':');
        String id = colon < 0 ? holder : holder.substring(0, colon);
        return client.isEmpty() ? LockReport.Client.unknown(id) : ClientRecord.read(id, client);
    }

    LockReport report(String name) {
        return new LockReport(name, holder().stream().toList(), List.of(), TokenUnits.lastOf(lastUnit));
    }
}
