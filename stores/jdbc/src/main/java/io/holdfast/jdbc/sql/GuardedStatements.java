package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The statements for locks that nobody waits for. Each is one round trip, and decides as {@link
 * io.holdfast.support.record.Decider} does. If a guard does not hold, the record has to be read, and decided.
 */
public interface GuardedStatements {

    /**
     * The grant of a lock.
     *
     * @param unit the token unit of the grant
     * @param now the time of the database; an upper bound where it is not known exactly
     */
    record Grant(long unit, long now) {}

    /**
     * A held lock whose lease is to be renewed.
     *
     * @param tenure the tenure that holds it
     * @param micros the lease, in microseconds
     */
    record Lease(Key key, String tenure, long micros) {}

    /**
     * The answer to a renewal.
     *
     * @param waiters the number of waiters that is reported to the holder, as far as known
     * @param now the time of the database
     */
    record Renewed(int waiters, long now) {}

    /**
     * Acquires a lock that has a row and is free, or is held by the same tenure, if nobody waits for it.
     *
     * @param notAfter the time of the database after which the lock must not be acquired
     */
    Optional<Grant> acquire(Connection connection, Key key, String tenure, long leaseMicros, long notAfter)
            throws SQLException;

    /**
     * Releases a lock that the tenure holds, if nobody waits for it.
     *
     * @param lastUnit the last token unit that was used; {@link Long#MAX_VALUE} if none is returned
     * @return the time of the database; empty if the guard does not hold
     */
    OptionalLong release(Connection connection, Key key, String tenure, long lastUnit) throws SQLException;

    /**
     * Renews the leases of locks. A lock that its tenure does not hold is left out.
     *
     * @param hurried {@code true} if a lock whose row is locked is left out, too, where {@link Dialect#skipsLocked} says so
     */
    Map<Lease, Renewed> renew(Connection connection, List<Lease> leases, boolean hurried) throws SQLException;
}
