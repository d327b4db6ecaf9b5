package io.holdfast.benchmarks.subject;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.locks.Lock;

/** Two bare UPDATEs of one row by its key: the cost of server and driver alone. It waits for nobody, and renews nothing. */
final class TwoUpdates extends TableSubject {

    static final String TABLE = "bare_updates";

    private final String holder = UUID.randomUUID().toString();

    TwoUpdates(String uri) {
        super(
                prepared(uri),
                "CREATE TABLE IF NOT EXISTS " + TABLE
                        + " (name VARCHAR(200) PRIMARY KEY, holder VARCHAR(64), until BIGINT NOT NULL)");
    }

    /** Returns the URI with statements that the server prepares, as Holdfast has them. */
    private static String prepared(String uri) {
        boolean isMySql = uri.startsWith("jdbc:mysql") || uri.startsWith("jdbc:mariadb");
        return isMySql ? uri + (uri.contains("?") ? "&" : "?") + "useServerPrepStmts=true&cachePrepStmts=true" : uri;
    }

    private int update(String sql, Object... arguments) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Lock lock(String name) {
        var unused = update("INSERT INTO " + TABLE + " (name, until) VALUES (?, 0)", name);
        return new SimpleLock() {
            @Override
            public void lock() {
                require(update("UPDATE " + TABLE + " SET holder = ?, until = until + 1 WHERE name = ?", holder, name));
            }

            @Override
            public void unlock() {
                require(update("UPDATE " + TABLE + " SET holder = NULL WHERE name = ? AND holder = ?", name, holder));
            }

            private void require(int rows) {
                if (rows != 1) {
                    throw new IllegalStateException(name + " is not ours");
                }
            }
        };
    }
}
