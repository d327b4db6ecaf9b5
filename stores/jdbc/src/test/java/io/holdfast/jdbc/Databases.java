package io.holdfast.jdbc;

import io.holdfast.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A database, and a look into it. */
final class Databases implements AutoCloseable {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private static final String H2_SESSIONS = "SELECT COUNT(*) - 1 FROM information_schema.sessions";

    private final String url;
    private final String sessions;
    final Connection connection;
    private final Closing closing;

    private interface Closing {
        void run() throws SQLException;
    }

    private Databases(String url, String sessions) {
        this.url = url;
        this.sessions = sessions;
        connection = opened(url);
        closing = connection::close;
    }

    private Databases(String url, String sessions, Connection connection, Closing closing) {
        this.url = url;
        this.sessions = sessions;
        this.connection = connection;
        this.closing = closing;
    }

    private static Connection opened(String url) {
        try {
            return DriverManager.getConnection(url);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    static Databases memory() {
        return memory("");
    }

    static Databases memory(String settings) {
        return new Databases("jdbc:h2:mem:" + name() + settings, H2_SESSIONS);
    }

    static Databases file(Path folder) {
        return new Databases("jdbc:h2:" + folder.resolve(name()) + ";AUTO_SERVER=TRUE;WRITE_DELAY=0", H2_SESSIONS);
    }

    static String name() {
        return "locks" + NAMES.incrementAndGet();
    }

    /** Another look into the same. */
    Databases again() {
        return new Databases(url, sessions);
    }

    /**
     * A look into a database on a server.
     *
     * @param sessions the statement that counts the connections, without this one
     */
    static Databases at(String url, String sessions) {
        return new Databases(url, sessions);
    }

    /** The same connection, which looks into a part of its server. When it is closed, this one goes back to its owner. */
    Databases within(String url, String sessions, Consumer<Databases> owner) {
        return new Databases(url, sessions, connection, () -> owner.accept(this));
    }

    /** A client of the store that is kept there. */
    StoreClient client() {
        return client(url);
    }

    static StoreClient client(String url) {
        return new StoreClient(new JdbcStoreProvider(), url, config -> config);
    }

    String url() {
        return url;
    }

    void run(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The first column of the result. */
    List<Object> column(String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<Object> values = new ArrayList<>();
            while (result.next()) {
                values.add(result.getObject(1));
            }
            return values;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Keeps the rows of a table. Returns an action that puts them back in one transaction. */
    Runnable backup(String table) {
        List<List<Object>> rows = rows("SELECT * FROM " + table);
        return () -> {
            try {
                connection.setAutoCommit(false);
                run("DELETE FROM " + table);
                for (List<Object> row : rows) {
                    insert(table, row);
                }
                connection.commit();
                connection.setAutoCommit(true);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        };
    }

    private List<List<Object>> rows(String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            List<List<Object>> rows = new ArrayList<>();
            while (result.next()) {
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(result.getObject(i));
                }
                rows.add(row);
            }
            return rows;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private void insert(String table, List<Object> row) throws SQLException {
        String values = String.join(", ", Collections.nCopies(row.size(), "?"));
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO " + table + " VALUES (" + values + ")")) {
            for (int i = 0; i < row.size(); i++) {
                statement.setObject(i + 1, row.get(i));
            }
            statement.executeUpdate();
        }
    }

    /** How many connections the database has, without this one. */
    long sessions() {
        return ((Number) column(sessions).get(0)).longValue();
    }

    @Override
    public void close() throws SQLException {
        closing.run();
    }
}
