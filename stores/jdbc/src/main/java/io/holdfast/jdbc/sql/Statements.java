package io.holdfast.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
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

    static void set(PreparedStatement statement, @Nullable Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
    }
}
