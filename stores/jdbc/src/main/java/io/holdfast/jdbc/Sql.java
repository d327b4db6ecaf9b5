package io.holdfast.jdbc;

/**
 * The statements, for H2. Each decision is one statement on one row, so that it is atomic.
 *
 * <p>A row is a lock name, and stays when the name is free. {@code tenure} has it until {@code expires_at}. {@code last_unit} is
 * the highest unit of tokens that was given, {@code first_unit} the first of the last block, and {@code floor_unit} what was
 * given before the present tenure. Times are microseconds of the database's clock.
 *
 * <p>That clock stands still in a transaction. One that waited for the row would decide with a time that is over: a request
 * could be applied although the one that withdrew it was answered. So a row remembers in {@code decided_at} when it was last
 * decided about, and time does not go back for it: {@code {now}} is the later of the two. A time that is ahead by more than
 * any transaction waits is of a clock that was set back, and is ignored.
 */
final class Sql {

    static final String TABLE = "holdfast_locks";

    private static final String CLOCK = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    private static final String NOW =
            "(CASE WHEN decided_at - {clock} BETWEEN 1 AND 10000000 THEN decided_at ELSE {clock} END)";
    private static final String COLUMNS =
            "name_utf8, tenure, client, expires_at, first_unit, last_unit, floor_unit, decided_at";

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
                decided_at BIGINT NOT NULL)
            """);

    /** Fails if the table is missing, or is another. */
    static final String CHECK = sql("SELECT name, {columns} FROM {table} WHERE 1 = 0");

    static final String WRITE_DELAY =
            "SELECT setting_value FROM information_schema.settings WHERE setting_name = 'WRITE_DELAY'";

    /** Of 1 the name, 2 the tenure, 3 the lease, 4 how many units, 5 not after, 6 the client: the block and the time. */
    static final String ACQUIRE = sql("""
            SELECT first_unit, last_unit, decided_at FROM FINAL TABLE (
                UPDATE {table} SET
                    floor_unit = CASE WHEN tenure = ?2 THEN floor_unit ELSE last_unit END,
                    tenure = ?2,
                    client = ?6,
                    expires_at = GREATEST(expires_at, {now} + CAST(?3 AS BIGINT)),
                    first_unit = {next},
                    last_unit = {next} + GREATEST(0, LEAST(CAST(?4 AS BIGINT) - 1, {now} + 9999 - {next})),
                    decided_at = {now}
                WHERE name_utf8 = ?1 AND {now} <= ?5 AND (tenure = ?2 OR expires_at <= {now}))
            """);

    /** The same for a name that has no row. */
    static final String ACQUIRE_NEW = sql("""
            SELECT first_unit, last_unit, decided_at FROM FINAL TABLE (
                INSERT INTO {table} ({columns})
                SELECT ?1, ?2, ?6, {clock} + CAST(?3 AS BIGINT),
                    {clock}, {clock} + GREATEST(0, LEAST(CAST(?4 AS BIGINT) - 1, 9999)), 0, {clock}
                WHERE {clock} <= ?5)
            """);

    /** Of 1 the lease, 2 how many units, 3 the names, 4 their tenures: what was renewed. */
    static final String RENEW = sql("""
            SELECT name_utf8, tenure, first_unit, last_unit, decided_at FROM FINAL TABLE (
                UPDATE {table} SET
                    expires_at = GREATEST(expires_at, {now} + CAST(?1 AS BIGINT)),
                    first_unit = CASE WHEN ?2 > 0 THEN {next} ELSE first_unit END,
                    last_unit = CASE WHEN ?2 > 0
                        THEN {next} + GREATEST(0, LEAST(CAST(?2 AS BIGINT) - 1, {now} + 9999 - {next}))
                        ELSE last_unit END,
                    decided_at = {now}
                WHERE name_utf8 = ANY(?3) AND tenure = ANY(?4) AND expires_at > {now})
            """);

    /** Of 1 the name, 2 the tenure, 3 the last unit used or -1: the row as it was. */
    static final String RELEASE = sql("""
            SELECT tenure, client, expires_at, last_unit, {now} FROM OLD TABLE (
                UPDATE {table} SET
                    last_unit = CASE WHEN tenure = ?2 AND ?3 > 0
                        THEN LEAST(last_unit, GREATEST(CAST(?3 AS BIGINT), floor_unit)) ELSE last_unit END,
                    expires_at = CASE WHEN tenure = ?2 THEN 0 ELSE expires_at END,
                    tenure = CASE WHEN tenure = ?2 THEN NULL ELSE tenure END,
                    decided_at = {now}
                WHERE name_utf8 = ?1)
            """);

    /** Of 1 a name that has no row: lets it have one, so that no request that is under way comes after its withdrawal. */
    static final String RELEASE_NEW = sql("""
            SELECT tenure, client, expires_at, last_unit, decided_at FROM FINAL TABLE (
                INSERT INTO {table} ({columns}) VALUES (?1, NULL, NULL, 0, 0, 0, 0, {clock}))
            """);

    /** Of 1 the name: the row as it was, if it was held. */
    static final String FORCE = sql("""
            SELECT tenure, client, expires_at, last_unit, {now} FROM OLD TABLE (
                UPDATE {table} SET tenure = NULL, expires_at = 0, decided_at = {now}
                WHERE name_utf8 = ?1 AND expires_at > {now})
            """);

    /** Of 1 the name: the row as it is; without a row, the time alone. */
    static final String LOOK = sql("""
            SELECT tenure, client, expires_at, last_unit, {now}
            FROM (VALUES (0)) AS one (line) LEFT JOIN {table} ON name_utf8 = ?1
            """);

    /** Of 1 a prefix: the held names and their rows. */
    static final String LIST = sql("""
            SELECT tenure, client, expires_at, last_unit, {now}, name_utf8 FROM {table}
            WHERE expires_at > {now} AND SUBSTRING(name_utf8 FROM 1 FOR OCTET_LENGTH(?1)) = ?1
            """);

    /** Drops names that were not used for 7 days. Their tokens go on rising, as they follow the clock. */
    static final String SWEEP = sql("""
            DELETE FROM {table} WHERE expires_at < {clock} - 604800000000 AND decided_at < {clock} - 604800000000
            FETCH FIRST 10000 ROWS ONLY
            """);

    private Sql() {}

    private static String sql(String text) {
        return text.replace("{next}", "GREATEST(last_unit + 1, {now})")
                .replace("{now}", NOW)
                .replace("{clock}", CLOCK)
                .replace("{columns}", COLUMNS)
                .replace("{table}", TABLE);
    }
}
