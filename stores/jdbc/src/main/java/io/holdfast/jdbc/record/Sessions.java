package io.holdfast.jdbc.record;

import io.holdfast.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** The connections on which requests run. */
public interface Sessions extends AutoCloseable {

    /** Work that reads. */
    interface Work<T> {
        /** Does the work on a connection. */
        T on(Connection connection) throws SQLException;
    }

    /** A statement that writes. */
    interface Write<T> {
        /** Runs the statement. */
        T run() throws SQLException;
    }

    /**
     * Runs work on a connection. If a statement fails, nothing was applied.
     *
     * @throws io.holdfast.spi.StoreException if it fails
     */
    <T> T run(String what, Work<T> work);

    /**
     * Runs a statement that writes, and makes its effect durable. Returns empty if the database has ended it in favor of another
     * transaction.
     *
     * @throws io.holdfast.spi.StoreException if it fails, with what is known about its effect; the cause is the failure of the
     *     database
     */
    <T> Optional<T> write(String what, Connection connection, Write<T> statement);

    /** Runs one statement that writes, on a connection for it alone; otherwise like {@link #write}. */
    default <T> Optional<T> runWrite(String what, Work<T> statement) {
        return run(what, connection -> write(what, connection, () -> statement.on(connection)));
    }

    /**
     * Opens a connection for one task, which then closes it.
     *
     * @throws io.holdfast.spi.StoreException if there is none
     */
    Connection open(String what);

    /**
     * Runs a task on a thread of its own, and waits for its end, at most for a time. A data source may bind a connection to the
     * transaction of the calling thread.
     */
    void onItsOwnThread(Runnable task, Duration limit);

    /** Returns the number of requests that may run at once, so that stuck ones leave a connection for renewals. */
    int callers();

    /** Returns the failure of a request whose row another transaction keeps locked. */
    StoreException rowLocked(String what);

    /** Returns the address of the database for texts, without user and password. */
    String address();

    /** Closes the connections. */
    @Override
    void close();
}
