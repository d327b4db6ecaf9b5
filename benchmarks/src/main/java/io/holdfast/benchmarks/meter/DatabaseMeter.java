package io.holdfast.benchmarks.meter;

import io.holdfast.benchmarks.subject.SubjectKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The counters of a database. Its CPU time is that of its processes, if they run on this machine. PostgreSQL counts statements if
 * it has the extension {@code pg_stat_statements}. Otherwise, it counts transactions, and reports them up to a second late.
 */
final class DatabaseMeter implements ServerMeter {

    private static final String POSTGRESQL_STATEMENTS = "SELECT sum(calls)::bigint FROM pg_stat_statements";
    private static final String POSTGRESQL_EXTENSION =
            "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'";

    private final Connection connection;
    private final Product product;
    private final String queries;

    private enum Product {
        POSTGRESQL("SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"),
        MYSQL("SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Questions'"),
        MARIADB("SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'QUESTIONS'"),
        /** It counts nothing. */
        H2("SELECT 0");

        private final String queries;

        Product(String queries) {
            this.queries = queries;
        }
    }

    DatabaseMeter(String uri) throws SQLException {
        connection = DriverManager.getConnection(uri);
        product = Product.valueOf(
                connection.getMetaData().getDatabaseProductName().toUpperCase(Locale.ROOT));
        boolean counts =
                product == Product.POSTGRESQL && !value(POSTGRESQL_EXTENSION).equals("0");
        queries = counts ? POSTGRESQL_STATEMENTS : product.queries;
    }

    private interface Work<T> {
        T run() throws SQLException;
    }

    private static <T> T unchecked(Work<T> work) {
        try {
            return work.run();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new SQLException("no line: " + sql);
            }
            return result.getString(1);
        }
    }

    @Override
    public Reading read() {
        return unchecked(() -> new Reading(Long.parseLong(value(queries)), 0, cpuMicros(), 0));
    }

    private long cpuMicros() throws SQLException {
        return server().map(process -> Stream.concat(Stream.of(process), process.descendants())
                        .map(each -> each.info().totalCpuDuration().orElse(Duration.ZERO))
                        .mapToLong(used -> TimeUnit.NANOSECONDS.toMicros(used.toNanos()))
                        .sum())
                .orElse(0L);
    }

    private Optional<ProcessHandle> server() throws SQLException {
        return switch (product) {
            case POSTGRESQL ->
                ProcessHandle.of(Long.parseLong(value("SELECT pg_backend_pid()")))
                        .flatMap(ProcessHandle::parent);
            case MYSQL, MARIADB -> {
                Path file = Path.of(value("SELECT @@datadir")).resolve(value("SELECT @@pid_file"));
                yield Files.isReadable(file) ? ProcessHandle.of(Long.parseLong(read(file))) : Optional.empty();
            }
            case H2 -> Optional.empty();
        };
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long present(String prefix, int count) {
        return unchecked(() -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT count(*) FROM holdfast_locks WHERE name >= ? AND name < ? AND expires_at > ?")) {
                statement.setBytes(1, key(prefix));
                statement.setBytes(2, key(prefix + Character.MAX_VALUE));
                // the server is on this machine, or has about its time
                statement.setLong(3, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
                try (ResultSet result = statement.executeQuery()) {
                    return result.next() ? result.getLong(1) : 0;
                }
            }
        });
    }

    private static byte[] key(String name) {
        return ("L" + name).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String version() {
        return unchecked(() -> connection.getMetaData().getDatabaseProductName() + " "
                + connection.getMetaData().getDatabaseProductVersion());
    }

    @Override
    public boolean isEmpty() {
        return SubjectKind.tables()
                .noneMatch(table -> exists(table)
                        && unchecked(
                                () -> !value("SELECT count(*) FROM " + table).equals("0")));
    }

    @Override
    public void clear() {
        SubjectKind.tables()
                .filter(this::exists)
                .forEach(table -> unchecked(() -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.executeUpdate("DELETE FROM " + table);
                    }
                }));
    }

    private boolean exists(String table) {
        return unchecked(() -> {
            try (ResultSet found = connection.getMetaData().getTables(connection.getCatalog(), null, null, null)) {
                while (found.next()) {
                    if (found.getString("TABLE_NAME").equalsIgnoreCase(table)) {
                        return true;
                    }
                }
                return false;
            }
        });
    }

    @Override
    public void close() {
        unchecked(() -> {
            connection.close();
            return true;
        });
    }
}
