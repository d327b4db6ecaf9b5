package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statements with parameters. */
public final class Statements {

    private Statements() {}

    /** A reader of one line of a result. */
    public interface Reader<T> {
        /** Reads the present line. */
        T read(ResultSet line) throws SQLException;
    }

    /** Runs a statement that changes rows, and returns their number. */
    public static int update(Connection connection, String sql, @Nullable Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, arguments);
            return statement.executeUpdate();
        }
    }

    /** Runs a statement that returns lines. */
    public static <T> List<T> query(Connection connection, String sql, Reader<T> reader, @Nullable Object... arguments)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, arguments);
            List<T> lines = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    lines.add(reader.read(result));
                }
            }
            return lines;
        }
    }

    /** Runs a statement that returns lines, and returns the types of their columns, as in {@link java.sql.Types}. */
    static List<Integer> types(Connection connection, String sql, @Nullable Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, arguments);
            try (ResultSet result = statement.executeQuery()) {
                ResultSetMetaData columns = result.getMetaData();
                List<Integer> types = new ArrayList<>();
                for (int column = 1; column <= columns.getColumnCount(); column++) {
                    types.add(type(columns, column));
                }
                return types;
            }
        }
    }

    /** The driver of MariaDB reports VARBINARY for BINARY, too. For the name of a type, that of PostgreSQL queries the server. */
    private static int type(ResultSetMetaData columns, int column) throws SQLException {
        int type = columns.getColumnType(column);
        boolean padded =
                type == Types.VARBINARY && columns.getColumnTypeName(column).matches("(?i)BINARY(\\(.*)?");
        return padded ? Types.BINARY : type;
    }

    /**
     * The outcome of a statement that changes rows.
     *
     * @param number the number that the statement has generated; 0 if none
     */
    record Change(int rows, long number) {}

    /** Runs a statement that changes rows, and may generate a number. */
    static Change change(Connection connection, String sql, @Nullable Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
            set(statement, arguments);
            int rows = statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                return new Change(rows, keys.next() ? keys.getLong(1) : 0);
            }
        }
    }

    static void set(PreparedStatement statement, @Nullable Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
    }
}
