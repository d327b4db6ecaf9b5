package io.holdfast.jdbc;

/**
 * The statements, for H2. Each decision is one statement on one row, so that it is atomic.
 *
 * <p>A row is a lock name, and stays when the name is free. {@code tenure} has it until {@code expires_at}. {@code
 * last_unit} is the highest unit of tokens that was given, {@code first_unit} the first of the last block, and {@code
 * floor_unit} what was given before the present tenure; {@code used_at} is when it was last decided about. Times are
 * microseconds of the database's clock.
 *
 * <p>That clock stands still in a transaction, from the first statement that asks for it. One that waited for its row
 * would decide with a time that is over: a request could be applied although the one that withdrew it was answered. So each
 * begins with {@link #LOCK}, which does not ask.
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

    /** Fails if the table is missing, or is another. */
    static final String CHECK = sql("SELECT name, {columns} FROM {table} WHERE 1 = 0");

    static final String WRITE_DELAY =
            "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'";

    /** Of 1 the name: keeps its row, if there is one, until the end of the transaction. */
    static final String LOCK = sql("SELECT name_utf8 FROM {table} WHERE name_utf8 = ?1 FOR UPDATE");

    /** Of 1 the names: those that have a row. */
    static final String FIND = sql("SELECT name_utf8 FROM {table} WHERE name_utf8 = ANY(?1)");

    /** Of 1 the names: waits for their rows. */
    static final String LOCK_ALL = FIND + " FOR UPDATE";

    /** Of 1 the names: does not wait for those rows that somebody else keeps. */
    static final String LOCK_FREE = FIND + " FOR UPDATE SKIP LOCKED";

    /** Of 1 the name, 2 the tenure, 3 the lease, 4 how many units, 5 not after, 6 the client: the block and the time. */
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

    /** The same for a name that has no row. */
    static final String ACQUIRE_NEW = sql("""
            SELECT first_unit, last_unit, used_at FROM FINAL TABLE (
                INSERT INTO {table} ({columns})
                SELECT ?1, ?2, ?6, {clock} + CAST(?3 AS BIGINT),
                    {clock}, {clock} + GREATEST(0, LEAST(CAST(?4 AS BIGINT) - 1, 9999)), 0, {clock}
                WHERE {clock} <= ?5)
            """);

    /** Of 1 the lease, 2 how many units, 3 the names, 4 their tenures, 5 the unit to be above: what was renewed. */
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

    /** Of 1 the name, 2 the tenure, 3 the last unit used, or 0 to give none back: the row as it was. */
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

    /** Of 1 a name that has no row: lets it have one, so that no request that is under way comes after its withdrawal. */
    static final String RELEASE_NEW = sql("""
            SELECT tenure, client, expires_at, last_unit, used_at FROM FINAL TABLE (
                INSERT INTO {table} ({columns}) VALUES (?1, NULL, NULL, 0, 0, 0, 0, {clock}))
            """);

    /** Of 1 the name: the row as it was, if it was held. */
    static final String FORCE = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock} FROM OLD TABLE (
                UPDATE {table} SET tenure = NULL, expires_at = 0, used_at = {clock}
                WHERE name_utf8 = ?1 AND expires_at > {clock})
            """);

    /** Of 1 the name: the row as it is; without a row, the time alone. */
    static final String LOOK = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock}
            FROM (VALUES (0)) AS one (line) LEFT JOIN {table} ON name_utf8 = ?1
            """);

    /** Of 1 a prefix: the held names and their rows. */
    static final String LIST = sql("""
            SELECT tenure, client, expires_at, last_unit, {clock}, name_utf8 FROM {table}
            WHERE expires_at > {clock} AND SUBSTRING(name_utf8 FROM 1 FOR OCTET_LENGTH(?1)) = ?1
            """);

    /**
     * Of 1 microseconds and 2 a number of rows: deletes at most so many names that were not used for so long. Their tokens
     * still rise, because they follow the clock.
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
