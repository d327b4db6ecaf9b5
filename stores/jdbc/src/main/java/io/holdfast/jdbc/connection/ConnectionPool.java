package io.holdfast.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;

/** The connections of a client that are open. */
interface ConnectionPool extends AutoCloseable {

    /**
     * Returns a connection that nobody uses.
     *
     * @throws SQLException if there is none in time
     */
    Connection get() throws SQLException;

    /**
     * Takes a connection back. Its failures are not reported, because the outcome of its statement is already decided.
     *
     * @param broken whether nobody may use it again
     */
    void release(Connection connection, boolean broken);

    /** Replaces the connections that nobody uses, because their server may accept no writes any more. */
    void leaveServer();

    /** Returns the number of requests that may run at once, so that stuck ones leave a connection for renewals. */
    int callers();

    /** Closes the pool. Some of its connections stay open. */
    @Override
    void close();
}
