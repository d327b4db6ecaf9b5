package io.holdfast.jdbc.sql;

import io.holdfast.support.record.RecordColumns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A row as it was read.
 *
 * @param columns the record
 * @param version the number of the write; empty if there is no row
 * @param now the time of the database at which the row was read, in microseconds
 * @param run identifies the run of the server that told the time; 0 if it is not known
 * @param reservedUntil the end of the {@linkplain Dialect#reserve reservation} by which this client writes the row; 0 if there is none
 */
public record Row(RecordColumns columns, OptionalLong version, long now, long run, long reservedUntil) {

    /** The columns that {@link #read} reads. */
    static final String COLUMNS =
            "l.tenure, l.expires_at, l.last_unit, l.floor_unit, l.waiters, l.state, l.version, {clock}, {run}";

    static Row read(ResultSet line) throws SQLException {
        RecordColumns columns = new RecordColumns(
                Optional.ofNullable(line.getString(1)),
                line.getLong(2),
                line.getLong(3),
                line.getLong(4),
                line.getInt(5),
                Optional.ofNullable(line.getString(6)));
        long number = line.getLong(7);
        OptionalLong version = line.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
        long now = line.getLong(8);
        if (line.wasNull()) {
            throw new SQLException("the session has no clock", Dialect.NO_CLOCK);
        }
        return new Row(columns, version, now, line.getLong(9), 0);
    }

    /** Reads a row whose last column is the end of its reservation. */
    static Row readReserved(ResultSet line) throws SQLException {
        Row row = read(line);
        return new Row(row.columns(), row.version(), row.now(), row.run(), line.getLong(10));
    }
}
