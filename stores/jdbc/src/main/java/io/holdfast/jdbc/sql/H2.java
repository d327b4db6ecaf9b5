package io.holdfast.jdbc.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;

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

    private static final Set<String> AGAIN = Set.of("40001", "23505", "90131");
    private static final Set<String> REFUSED = Set.of("28000", "42S02", "42S04", "42S22", "90096", "90040", "22001");

    /** Creates the SQL for the given tables. */
    public H2(Tables tables) {
        super(tables);
    }

    @Override
    public String product() {
        return "H2";
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
    public List<String> schema() {
        return List.of(
                sql("CREATE TABLE IF NOT EXISTS {locks} (name varbinary(1537) PRIMARY KEY, tenure varchar(96),"
                        + " expires_at bigint NOT NULL, last_unit bigint NOT NULL, floor_unit bigint NOT NULL,"
                        + " version bigint NOT NULL, used_at bigint NOT NULL, waiters int DEFAULT 0 NOT NULL,"
                        + " state varchar)"),
                sql("CREATE TABLE IF NOT EXISTS {clients} (id varchar(64) PRIMARY KEY,"
                        + " identity varchar(1024) NOT NULL, seen_at bigint NOT NULL)"));
    }

    @Override
    public List<String> settings(long rowWaitMillis) {
        return List.of("SET LOCK_TIMEOUT " + Math.min(rowWaitMillis, MOST_ROW_WAIT_MILLIS));
    }

    @Override
    public boolean commits() {
        return true;
    }

    @Override
    public Verdict verdict(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        if (AGAIN.contains(state)) {
            return Verdict.AGAIN;
        } else if (REFUSED.contains(state)) {
            return Verdict.REFUSED;
        }
        return state.equals("HYT00") ? Verdict.LOCKED : Verdict.UNKNOWN;
    }
}
