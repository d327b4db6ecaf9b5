package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL.
 *
 * <p>The clock is {@code clock_timestamp()}, because {@code now()} stands still within a statement. A guard is evaluated again
 * when the row has changed while the statement waited for it.
 *
 * <p>No column but the primary key has an index, and each page keeps half of its space free. So most updates write no index
 * (heap-only tuples).
 */
public final class PostgreSql extends Dialect implements GuardedStatements {

    private static final Set<String> AGAIN = Set.of("40001", "40P01", "23505");
    private static final Set<String> REFUSED =
            Set.of("42501", "42P01", "42703", "3D000", "3F000", "42P05", "26000", "22001", "22023", "42804", "42883");
    private static final Set<String> NOT_APPLIED = Set.of("57014", "25P03", "57P03", "25006");

    private final String acquire;
    private final String release;
    private final String renew;

    /** Creates the SQL for the given tables. */
    public PostgreSql(Tables tables) {
        super(tables);
        acquire = sql("UPDATE {locks} SET floor_unit = CASE WHEN tenure = ? THEN floor_unit ELSE last_unit END,"
                + " expires_at = GREATEST(expires_at, {clock} + ?), last_unit = GREATEST(last_unit + 1, {clock}),"
                + " tenure = ?, version = version + 1, used_at = {clock}"
                + " WHERE name = ? AND state IS NULL AND (tenure = ? OR expires_at <= {clock}) AND {clock} <= ?"
                + " RETURNING last_unit, used_at");
        release = sql("UPDATE {locks} SET expires_at = 0, tenure = NULL, version = version + 1, used_at = {clock},"
                + " last_unit = CASE WHEN ? = 0 THEN last_unit ELSE LEAST(last_unit, GREATEST(?, floor_unit)) END"
                + " WHERE name = ? AND tenure = ? AND state IS NULL AND expires_at > {clock} RETURNING used_at");
        renew = sql("UPDATE {locks} l SET expires_at = GREATEST(expires_at, {clock} + v.lease),"
                + " version = version + 1, used_at = {clock}"
                + " FROM unnest(?::bytea[], ?::text[], ?::bigint[]) AS v(name, tenure, lease)"
                + " WHERE l.name = v.name AND l.tenure = v.tenure AND l.expires_at > {clock}"
                + " RETURNING l.name, l.tenure, l.waiters, l.used_at");
    }

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    String keyType() {
        return "bytea";
    }

    @Override
    String clock() {
        return "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint";
    }

    @Override
    public List<String> schema() {
        return List.of(
                sql("CREATE TABLE IF NOT EXISTS {locks} (name bytea PRIMARY KEY, tenure varchar(96),"
                        + " expires_at bigint NOT NULL, last_unit bigint NOT NULL, floor_unit bigint NOT NULL,"
                        + " version bigint NOT NULL, used_at bigint NOT NULL, waiters int NOT NULL DEFAULT 0,"
                        + " state text) WITH (fillfactor = 50)"),
                sql("CREATE TABLE IF NOT EXISTS {clients} (id varchar(64) PRIMARY KEY, identity varchar(1024) NOT NULL,"
                        + " seen_at bigint NOT NULL)"));
    }

    @Override
    public List<String> settings(long rowWaitMillis) {
        return List.of(
                "SET lock_timeout = " + rowWaitMillis,
                "SET synchronous_commit = on",
                "SET default_transaction_isolation = 'read committed'");
    }

    @Override
    public Verdict verdict(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        if (AGAIN.contains(state)) {
            return Verdict.AGAIN;
        } else if (REFUSED.contains(state) || state.startsWith("28")) {
            return Verdict.REFUSED;
        } else if (state.equals("55P03")) {
            return Verdict.LOCKED;
        }
        return NOT_APPLIED.contains(state) || state.startsWith("53") ? Verdict.NOT_APPLIED : Verdict.UNKNOWN;
    }

    // ---- guarded statements

    @Override
    public Optional<GuardedStatements> guarded() {
        return Optional.of(this);
    }

    @Override
    public Optional<Grant> acquire(Connection connection, Key key, String tenure, long leaseMicros, long notAfter)
            throws SQLException {
        return Statements.query(
                        connection,
                        acquire,
                        line -> new Grant(line.getLong(1), line.getLong(2)),
                        tenure,
                        leaseMicros,
                        tenure,
                        key.bytes(),
                        tenure,
                        notAfter)
                .stream()
                .findFirst();
    }

    @Override
    public OptionalLong release(Connection connection, Key key, String tenure, long lastUnit) throws SQLException {
        return Statements.query(connection, release, line -> line.getLong(1), lastUnit, lastUnit, key.bytes(), tenure)
                .stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    @Override
    public Map<Lease, Renewed> renew(Connection connection, List<Lease> leases) throws SQLException {
        Map<List<Object>, Lease> byTenure = new HashMap<>();
        leases.forEach(lease -> byTenure.put(List.of(lease.key(), lease.tenure()), lease));
        Map<Lease, Renewed> renewed = new HashMap<>();
        var unused = Statements.query(
                connection,
                renew,
                line -> {
                    Lease lease = Objects.requireNonNull(
                            byTenure.get(List.<Object>of(Key.of(line.getBytes(1)), line.getString(2))));
                    renewed.put(lease, new Renewed(line.getInt(3), line.getLong(4)));
                    return lease;
                },
                connection.createArrayOf(
                        "bytea",
                        leases.stream().map(lease -> lease.key().bytes()).toArray(byte[][]::new)),
                connection.createArrayOf(
                        "text", leases.stream().map(Lease::tenure).toArray()),
                connection.createArrayOf(
                        "bigint", leases.stream().map(Lease::micros).toArray()));
        return renewed;
    }

    // ---- messages

    /** Returns the channel of a client. */
    public static String channel(String clientId) {
        return "hf_" + clientId;
    }

    /** The messages are sent by the statement that writes, so they need no further round trip. */
    @Override
    boolean update(Connection connection, String sql, @Nullable Object[] arguments, List<Message> messages)
            throws SQLException {
        if (messages.isEmpty()) {
            return super.update(connection, sql, arguments, messages);
        }
        @Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = connection.createArrayOf(
                "text",
                messages.stream().map(message -> channel(message.clientId())).toArray());
        all[arguments.length + 1] = connection.createArrayOf(
                "text", messages.stream().map(Message::text).toArray());
        return Statements.query(
                                connection,
                                "WITH w AS (" + sql + " RETURNING 1), s AS (SELECT pg_notify(m.channel, m.text)"
                                        + " FROM w, unnest(?::text[], ?::text[]) AS m(channel, text))"
                                        + " SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM s)",
                                line -> line.getLong(1),
                                all)
                        .get(0)
                == 1;
    }
}
