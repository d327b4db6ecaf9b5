package io.holdfast.jdbc;

/**
 * The statements, for H2. Each decision is one statement on one row, so it is atomic.
 *
 * <p>A row belongs to a lock name, and stays when the name is free. {@code tenure} holds the name until {@code expires_at}.
 * {@code last_unit} is the highest token unit that was issued. {@code first_unit} is the first unit of the last block.
 * {@code floor_unit} is the highest unit that was issued before the present tenure. {@code used_at} is the time of the last
 * decision. Times are in microseconds of the database's clock.
 *
 * <p>Within a transaction, that clock stops at the first statement that reads it. A transaction that reads it and then waits for
 * its row would decide with an outdated time. A late acquire could then be applied although the release that withdrew it was
 * already answered. So each transaction that acquires, renews or releases begins with {@link #LOCK} or a variant of it. These
 * statements do not read the clock.
 */
final class Sql {

    static final String TABLE = "holdfast_locks";

    private static final String CLOCK = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    private static final String COLUMNS =
            "name_utf8, tenure, client, expires_at, first_unit, last_unit, floor_unit, used_at";

    static final String CREATE = sql("""
            CREATE TABLE IF NOT EXISTS {table} (
                name_utf8 VARBINARY(2048) PRIMARY KEY,
                name VARCHAR GENERATED ALWAYS AS (UTF8TOSTRING(name_utf8)),
                tenure VARCHAR(100),
                client VARCHAR(1000),
                expires_at BIGINT NOT NULL,
                first_unit BIGINT NOT NULL,
                last_unit BIGINT NOT NULL,
                floor_unit BIGINT NOT NULL,
                used_at BIGINT NOT NULL)
            """);

    /** Fails if the table is missing or has other columns. */
    static final String CHECK = sql("SELECT name, {columns} FROM {table} WHERE 1 = 0");

    static final String WRITE_DELAY =
            "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'";

    /** Locks the row of a name until the end of the transaction, if there is one. Parameter: 1 the name. */
    static final String LOCK = sql("SELECT name_utf8 FROM {table} WHERE name_utf8 = ?1 FOR UPDATE");

    /** Returns the names that have a row. Parameter: 1 the names. */
    static final String FIND_NAMES = sql("SELECT name_utf8 FROM {table} WHERE name_utf8 = ANY(?1)");

    /** Locks the rows of the names. Waits for rows that other transactions have locked. Parameter: 1 the names. */
    static final String LOCK_ALL = FIND_NAMES + " FOR UPDATE";

    /** Locks the rows of the names, and skips those that another transaction has locked. Parameter: 1 the names. */
    static final String LOCK_FREE = FIND_NAMES + " FOR UPDATE SKIP LOCKED";

    /**
     * Acquires a name that has a row. Returns the block and the time. Parameters: 1 the name, 2 the tenure, 3 the lease, 4 the
     * number of units, 5 the latest time to apply it, 6 the client.
     */
    static final String ACQUIRE = sql("""
            SELECT first_unit, last_unit, used_at FROM FINAL TABLE (
                UPDATE {table} SET
                    floor_unit = CASE WHEN tenure = ?2 THEN floor_unit ELSE last_unit END,
                    tenure = ?2,
                    client = ?6,
                    expires_at = GREATEST(expires_at, {clock} + CAST(?3 AS BIGINT)),
                    first_unit = {next},
                    last_unit = {next} + GREATEST(0, LEAST(CAST(?4 AS BIGINT) - 1, {clock} + 9999 - {next})),
                    used_at = {clock}
                WHERE name_utf8 = ?1 AND {clock} <= ?5 AND (tenure = ?2 OR expires_at <= {clock}))
            """);

    /** Acquires a name that has no row, with the parameters of {@link #ACQUIRE}. */
    static final String ACQUIRE_NEW = sql("""
            SELECT first_unit, last_unit, used_at FROM FINAL TABLE (
                INSERT INTO {table} ({columns})
                SELECT ?1, ?2, ?6, {clock} + CAST(?3 AS BIGINT),
                    {clock}, {clock} + GREATEST(0, LEAST(CAST(?4 AS BIGINT) - 1, 9999)), 0, {clock}
                WHERE {clock} <= ?5)
            """);

    /**
     * Renews leases. Returns the renewed rows. Parameters: 1 the lease, 2 the number of units, 3 the names, 4 their tenures, 5
     * the unit to exceed.
     */
    static final String RENEW = sql("""
            SELECT name_utf8, tenure, first_unit, last_unit, used_at FROM FINAL TABLE (
                UPDATE {table} SET
                    expires_at = GREATEST(expires_at, {clock} + CAST(?1 AS BIGINT)),
                    first_unit = CASE WHEN ?2 > 0 THEN {above} ELSE first_unit END,
                    last_unit = CASE WHEN ?2 > 0
                        THEN {above} + GREATEST(0, LEAST(CAST(?2 AS BIGINT) - 1, {clock} + 9999 - {above}))
                        ELSE GREATEST(last_unit, CAST(?5 AS BIGINT)) END,
                    used_at = {clock}
                WHERE name_utf8 = ANY(?3) AND tenure = ANY(?4) AND expires_at > {clock})
            """);

    /**
     * Releases a name. Returns the row before the release. Parameters: 1 the name, 2 the tenure, 3 the last unit used, or 0 to
     * return none.
     */
    static final String RELEASE = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock} FROM OLD TABLE (
                UPDATE {table} SET
                    last_unit = CASE WHEN tenure = ?2 AND ?3 > 0
                        THEN LEAST(last_unit, GREATEST(CAST(?3 AS BIGINT), floor_unit)) ELSE last_unit END,
                    expires_at = CASE WHEN tenure = ?2 THEN 0 ELSE expires_at END,
                    tenure = CASE WHEN tenure = ?2 THEN NULL ELSE tenure END,
                    used_at = {clock}
                WHERE name_utf8 = ?1)
            """);

    /**
     * Creates the row of a name that has none, so that a late acquire cannot be applied after its withdrawal. Parameter: 1 the
     * name.
     */
    static final String RELEASE_NEW = sql("""
            SELECT tenure, client, expires_at, last_unit, used_at FROM FINAL TABLE (
                INSERT INTO {table} ({columns}) VALUES (?1, NULL, NULL, 0, 0, 0, 0, {clock}))
            """);

    /** Frees a name. Returns the row before the statement, if the name was held. Parameter: 1 the name. */
    static final String FORCE = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock} FROM OLD TABLE (
                UPDATE {table} SET tenure = NULL, expires_at = 0, used_at = {clock}
                WHERE name_utf8 = ?1 AND expires_at > {clock})
            """);

    /** Returns the present row; if there is none, only the time. Parameter: 1 the name. */
    static final String FIND_ROW = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock}
            FROM (VALUES (0)) AS one (line) LEFT JOIN {table} ON name_utf8 = ?1
            """);

    /** Returns the held names and their rows. Parameter: 1 the prefix. */
    static final String LIST = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock}, name_utf8 FROM {table}
            WHERE expires_at > {clock} AND SUBSTRING(name_utf8 FROM 1 FOR OCTET_LENGTH(?1)) = ?1
            """);

    /**
     * Deletes names that were not used for some time. Their tokens still rise, because they follow the clock. Parameters: 1 the
     * time in microseconds, 2 the highest number of rows to delete.
     */
    static final String SWEEP = sql("""
            DELETE FROM {table}
            WHERE expires_at < {clock} - CAST(?1 AS BIGINT) AND used_at < {clock} - CAST(?1 AS BIGINT)
            FETCH FIRST ?2 ROWS ONLY
            """);

    private Sql() {}

    private static String sql(String text) {
        return text.replace("{above}", "GREATEST({next}, CAST(?5 AS BIGINT) + 1)")
                .replace("{next}", "GREATEST(last_unit + 1, {clock})")
                .replace("{clock}", CLOCK)
                .replace("{columns}", COLUMNS)
                .replace("{table}", TABLE);
    }
}
