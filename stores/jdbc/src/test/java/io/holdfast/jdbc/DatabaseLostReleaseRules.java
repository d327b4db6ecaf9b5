package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.testkit.cluster.LostReleaseRules;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Releases in a database whose answer is lost. */
abstract class DatabaseLostReleaseRules extends LostReleaseRules {

    private final Databases database;

    DatabaseLostReleaseRules(DatabaseServer server) {
        super(server.port(), server::uri);
        database = Databases.at(server.uri(), "");
    }

    @Override
    protected void forget(String name) {
        database.run("DELETE FROM holdfast_locks WHERE name IN ('L" + name + "', 'S" + name + "')");
    }

    @AfterEach
    void closeDatabase() throws SQLException {
        database.close();
    }

    private static Optional<Lease> read(Holdfast client, String name) {
        return client.readWriteLock(name).readLock().tryAcquire();
    }

    private static Optional<Lease> write(Holdfast client, String name) {
        return client.readWriteLock(name).writeLock().tryAcquire();
    }

    /** The only permit. */
    private static Optional<Permit> permit(Holdfast client, String name) {
        client.semaphore(name).trySetPermits(1);
        return client.semaphore(name).tryAcquire();
    }

    @Tag("night")
    @Test
    void reportsThatAReadLockWasLost() {
        reportsALoss(DatabaseLostReleaseRules::read);
    }

    @Tag("night")
    @Test
    void reportsThatAWriteLockWasLost() {
        reportsALoss(DatabaseLostReleaseRules::write);
    }

    @Tag("night")
    @Test
    void reportsThatAPermitWasLost() {
        reportsALoss(DatabaseLostReleaseRules::permit);
    }

    @Tag("night")
    @Test
    void reportsNoLossOfAReadLockThatWasReleased() {
        reportsNoLoss(DatabaseLostReleaseRules::read, DatabaseLostReleaseRules::write);
    }

    @Tag("night")
    @Test
    void reportsNoLossOfAWriteLockThatWasReleased() {
        reportsNoLoss(DatabaseLostReleaseRules::write, DatabaseLostReleaseRules::write);
    }

    @Tag("night")
    @Test
    void reportsNoLossOfAPermitThatWasReleased() {
        reportsNoLoss(DatabaseLostReleaseRules::permit, DatabaseLostReleaseRules::permit);
    }
}
