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
 * What the table has of a name. Times are microseconds of the database's clock.
 *
 * @param tenure who had the name last, if it was not given back
 * @param client the record of the client of that tenure
 * @param expires when its lease ends
 * @param lastUnit the highest unit of tokens given; 0 for none
 * @param now when that was so
 */
record Row(Optional<String> tenure, String client, long expires, long lastUnit, long now) {

    /** From tenure, client, end of the lease, last unit, and time. */
    static Row read(ResultSet result) throws SQLException {
        return new Row(
                Optional.ofNullable(result.getString(1)),
                Optional.ofNullable(result.getString(2)).orElse(""),
                result.getLong(3),
                result.getLong(4),
                result.getLong(5));
    }

    /** As it is now; without a row, the time alone. */
    static Row look(Connection connection, byte[] key) throws SQLException {
        return Transactions.query(connection, Sql.LOOK, Row::read, (Object) key).get(0);
    }

    boolean held() {
        return tenure.isPresent() && expires > now;
    }

    boolean isHeldBy(TenureId other) {
        return held() && tenure.get().equals(other.toString());
    }

    Duration left() {
        return Duration.of(expires - now, ChronoUnit.MICROS);
    }

    /** The holder of a held name. */
    Optional<LockReport.Holder> holder() {
        return tenure.filter(any -> held())
                .map(holder -> HoldDescription.holder(client(holder), Mode.LOCK, Optional.empty(), left()));
    }

    /** A row may have been written by hand. */
    private LockReport.Client client(String holder) {
        int colon = holder.lastIndexOf(':');
        String id = colon < 0 ? holder : holder.substring(0, colon);
        return client.isEmpty() ? LockReport.Client.unknown(id) : ClientRecord.read(id, client);
    }

    LockReport report(String name) {
        return new LockReport(name, holder().stream().toList(), List.of(), TokenUnits.lastOf(lastUnit));
    }
}
