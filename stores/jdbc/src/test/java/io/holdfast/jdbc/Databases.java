package io.holdfast.jdbc;

import io.holdfast.testkit.StoreClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A database, and a look into it. */
final class Databases implements AutoCloseable {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String url;
    final Connection connection;

    private Databases(String url) {
        this.url = url;
        try {
            connection = DriverManager.getConnection(url);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    static Databases memory() {
        return memory("");
    }

    static Databases memory(String settings) {
        return new Databases("jdbc:h2:mem:" + name() + settings);
    }

    static Databases file(Path folder) {
        return new Databases("jdbc:h2:" + folder.resolve(name()) + ";AUTO_SERVER=TRUE;WRITE_DELAY=0");
    }

    static String name() {
        return "locks" + NAMES.incrementAndGet();
    }

    /** Another look into the same. */
    Databases again() {
        return new Databases(url);
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

    /** How many connections the database has, with this one. */
    long sessions() {
        return (Long) column("SELECT COUNT(*) FROM information_schema.sessions").get(0);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
