package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A database, and a connection to look into it. */
final class DatabaseHarness extends RealTimeHarness {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Databases database;
    private final String uri;

    DatabaseHarness(Databases database) {
        this(database, database.url());
    }

    /**
     * Creates a harness.
     *
     * @param uri the URI of the clients, which may lead to the database through something else
     */
    DatabaseHarness(Databases database, String uri) {
        this.database = database;
        this.uri = uri;
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new JdbcStoreProvider().open(config);
    }

    @Override
    public void wipe() {
        database.run("DELETE FROM " + table());
    }

    private String table() {
        return Address.parse(uri(), LIMIT).settings().tables().locks();
    }

    @Override
    public Optional<Runnable> backup() {
        return Optional.of(database.backup(table()));
    }

    /** Rows stay; connections and threads do not. */
    @Override
    public void close() {
        AtomicLong open = new AtomicLong();
        // a pool may still open a connection while it is closed, and closes it then
        passUntil(
                () -> {
                    open.set(database.sessions());
                    return open.get() == 0;
                },
                LIMIT);
        assertThat(open).as("connections").hasValue(0);
        try {
            database.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
