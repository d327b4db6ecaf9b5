package io.holdfast.jdbc.sql;

import io.holdfast.jdbc.sql.FailureCodes.Health;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * H2.
 *
 * <p>It has no guarded statements. Its clock stands still within a transaction, also while a statement waits for a row, so a guard
 * could admit a request that is too late. So a statement waits for a few milliseconds only, and a request that is late by then
 * begins again.
 *
 * <p>Its driver connects again by itself, and then sends a statement again that had no answer. It does not do that within a
 * transaction. So each write is followed by a commit.
 */
public final class H2 extends Dialect {

    private static final long MOST_ROW_WAIT_MILLIS = 5;
    private static final long CLOCK_DELAY_MICROS = 20_000;

    private static final String NOT_DURABLE = "90HFD";
    private static final String WRITE_DELAY =
            "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'";
    private static final String NOT_SERVED =
            "the database was closed, or the process that serves it has ended or was never started;"
                    + " connections are retried";

    private final FailureCodes codes;

    /** Creates the SQL for the given tables. */
    public H2(Tables tables) {
        super(tables);
        codes = FailureCodes.byState()
                .with(Verdict.AGAIN, "40001", "23505", "90131")
                .meaning(Verdict.LOCKED, ROW_IS_LOCKED, "HYT00")
                .with(Verdict.NOT_APPLIED, "50000")
                .meaning(Verdict.NOT_APPLIED, NOT_SERVED, "90067", "90098", "90121")
                .meaning(
                        Verdict.NOT_APPLIED,
                        "the file is in use by a process that does not share it; open it everywhere with AUTO_SERVER=TRUE",
                        "90020")
                .meaning(
                        Verdict.REFUSED,
                        "it may forget locks when the process that serves it dies, and this user may not change that; let"
                                + " an administrator run SET WRITE_DELAY 0",
                        NOT_DURABLE)
                .meaning(Verdict.REFUSED, LOGIN, "28000")
                .meaning(Verdict.REFUSED, rights(), "90096", "90040")
                .with(Verdict.REFUSED, BAD_VALUE)
                .meaning(Verdict.REFUSED, TOO_LONG, "22001")
                // 42S03 if there is a table of a similar name, which another client may have made in the meantime
                .meaning(Verdict.NO_TABLE, tableIsMissing(), "42S02", "42S03", "42S04")
                .meaning(Verdict.OTHER_TABLE, otherTable(), "42S22")
                .health(Health.BAD, "08", "90067", "90098", "90121")
                .health(Health.UNKNOWN, "50000");
    }

    @Override
    public String product() {
        return "H2";
    }

    @Override
    Catalog catalog() {
        return Catalog.H2;
    }

    @Override
    String keyType() {
        return "VARBINARY";
    }

    @Override
    String clock() {
        return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    }

    @Override
    long clockDelayMicros() {
        return CLOCK_DELAY_MICROS;
    }

    @Override
    List<String> tablesToCreate() {
        return List.of(
                sql("CREATE TABLE IF NOT EXISTS {locks} (name varbinary(1537) PRIMARY KEY, tenure varchar(96),"
                        + " expires_at bigint NOT NULL, last_unit bigint NOT NULL, floor_unit bigint NOT NULL,"
                        + " version bigint NOT NULL, used_at bigint NOT NULL, waiters int DEFAULT 0 NOT NULL,"
                        + " state varchar)"),
                sql("CREATE TABLE IF NOT EXISTS {clients} (id varchar(64) PRIMARY KEY,"
                        + " identity varchar(1024) NOT NULL, seen_at bigint NOT NULL)"));
    }

    @Override
    public List<String> settings(long commandMillis) {
        return List.of("SET LOCK_TIMEOUT " + Math.min(rowWaitMillis(commandMillis), MOST_ROW_WAIT_MILLIS));
    }

    @Override
    public List<String> restoring(Connection connection) throws SQLException {
        return Statements.query(connection, "CALL LOCK_TIMEOUT()", line -> "SET LOCK_TIMEOUT " + line.getInt(1));
    }

    /** Its clock stands still while a statement waits for its row, so a row would look reserved after each wait. */
    @Override
    String unreserved() {
        return "TRUE";
    }

    @Override
    public boolean commits() {
        return true;
    }

    /** The URL of the driver has the limit. */
    @Override
    public long networkMillis(long commandMillis) {
        return 0;
    }

    /** A different process may serve the database by now, so each new connection ensures this. */
    @Override
    public void requireSafe(Connection connection) throws SQLException {
        List<String> delay = Statements.query(connection, WRITE_DELAY, line -> line.getString(1));
        if (delay.isEmpty() || !delay.stream().allMatch("0"::equals)) {
            try {
                var unused = Statements.update(connection, "SET WRITE_DELAY 0");
            } catch (SQLException e) {
                throw new SQLException("WRITE_DELAY is " + delay, NOT_DURABLE, e);
            }
        }
    }

    @Override
    public FailureCodes codes() {
        return codes;
    }
}
