package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import java.sql.Statement;
import java.time.Duration;

/** A database, with tables that are made for one rule. */
final class TableHarness extends RealTimeHarness {

    private final String url;
    private final Dialect dialect;
    private final DriverSessions own;

    TableHarness(String url, Dialect dialect) {
        this.url = url;
        this.dialect = dialect;
        own = new DriverSessions(url, dialect).prepared();
        wipe();
    }

    @Override
    public String uri() {
        return url;
    }

    @Override
    public LockStore open(StoreConfig config) {
        return TableStore.open(config, dialect, new DriverSessions(url, dialect), Duration.ofDays(7));
    }

    @Override
    public void wipe() {
        var unused = own.run("wipe", connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute("DELETE FROM " + Tables.DEFAULT.locks());
            }
        });
    }

    @Override
    public void close() {
        own.close();
    }
}
