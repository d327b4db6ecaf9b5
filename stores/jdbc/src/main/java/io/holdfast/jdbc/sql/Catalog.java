package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The schemas of a database. A session finds a table that is named without its schema in one of them, and another session may find
 * another one: its user, or the application that has used its connection before, may have set the path. Then two clients would use
 * two tables, and exclude nobody. So the schema is found once, and each statement names it.
 */
enum Catalog {
    /** PostgreSQL, where a session has a path of schemas. */
    POSTGRESQL('"') {
        @Override
        Optional<String> schema(Connection connection, String table) throws SQLException {
            return first(
                    connection,
                    "SELECT COALESCE((SELECT n.nspname FROM pg_catalog.pg_class c"
                            + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = pg_catalog.to_regclass(?)), pg_catalog.current_schema())::text",
                    table);
        }

        @Override
        List<String> others(Connection connection, String schema, String table) throws SQLException {
            return all(
                    connection,
                    "SELECT n.nspname::text FROM pg_catalog.pg_class c"
                            + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = ? AND n.nspname <> ? AND c.relkind IN ('r', 'p')"
                            + " AND n.nspname NOT LIKE 'pg\\_temp\\_%' ORDER BY 1",
                    table.toLowerCase(Locale.ROOT),
                    schema);
        }
    },

    /** MySQL and MariaDB, where a schema is a database. A server has many of them, for different applications. */
    MYSQL('`') {
        @Override
        Optional<String> schema(Connection connection, String table) throws SQLException {
            return first(connection, "SELECT DATABASE()");
        }

        @Override
        List<String> others(Connection connection, String schema, String table) {
            return List.of();
        }
    },

    /** H2, where a session has one schema. */
    H2('"') {
        @Override
        Optional<String> schema(Connection connection, String table) throws SQLException {
            return first(connection, "SELECT SCHEMA()");
        }

        @Override
        List<String> others(Connection connection, String schema, String table) throws SQLException {
            return all(
                    connection,
                    "SELECT TABLE_SCHEMA FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = ? AND TABLE_SCHEMA <> ?"
                            + " ORDER BY 1",
                    stored(connection, table),
                    schema);
        }
    };

    private final char quote;

    Catalog(char quote) {
        this.quote = quote;
    }

    /** Returns the schema in which the session finds a table, or would create it; empty if it has none. */
    abstract Optional<String> schema(Connection connection, String table) throws SQLException;

    /** Returns the other schemas that have a table of that name, and that a session may use instead. */
    abstract List<String> others(Connection connection, String schema, String table) throws SQLException;

    /** Returns the beginning of a text about a table that several schemas have. */
    static String ambiguous(String table, String schema, List<String> others) {
        return "its session uses the table " + table + " of the schema " + schema
                + ", and there is one of that name in the schema " + String.join(", ", others);
    }

    /** Returns a schema as a statement writes it. */
    String quoted(String schema) {
        return quote + schema.replace("" + quote, "" + quote + quote) + quote;
    }

    /** Returns the form in which the database keeps a name that a statement does not quote. */
    private static String stored(Connection connection, String name) throws SQLException {
        return connection.getMetaData().storesUpperCaseIdentifiers()
                ? name.toUpperCase(Locale.ROOT)
                : connection.getMetaData().storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }

    private static Optional<String> first(Connection connection, String sql, Object... arguments) throws SQLException {
        return all(connection, sql, arguments).stream().findFirst();
    }

    /** Returns the names that are not null. */
    private static List<String> all(Connection connection, String sql, Object... arguments) throws SQLException {
        return Statements.query(connection, sql, line -> Optional.ofNullable(line.getString(1)), arguments).stream()
                .flatMap(Optional::stream)
                .toList();
    }
}
