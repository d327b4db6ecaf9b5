package io.holdfast.jdbc.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * A statement with a time limit. At the end, it has the limit from before, because H2 keeps the limit for its session.
 *
 * @param before the limit from before, in seconds
 */
record Limited(PreparedStatement statement, int before) implements AutoCloseable {

    static Limited to(int seconds, PreparedStatement statement) throws SQLException {
        int before = statement.getQueryTimeout();
        statement.setQueryTimeout(seconds);
        return new Limited(statement, before);
    }

    @Override
    public void close() throws SQLException {
        statement.setQueryTimeout(before);
    }
}
