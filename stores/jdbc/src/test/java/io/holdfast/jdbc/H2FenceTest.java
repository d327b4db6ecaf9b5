package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fence in H2. */
class H2FenceTest extends RowFenceRules {

    @Override
    String uri() {
        return "jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
    }

    /** H2 waits for a row until its own limit, and not until that of the statement. */
    @Override
    Connection beginImpatient() throws SQLException {
        Connection transaction = begin();
        try (Statement statement = transaction.createStatement()) {
            statement.execute("SET LOCK_TIMEOUT 1000");
        }
        return transaction;
    }

    /** Also SNAPSHOT, which JDBC does not know. */
    @Override
    List<Integer> levels() {
        return List.of(
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                6,
                Connection.TRANSACTION_SERIALIZABLE);
    }

    private static void setQueryTimeout(Connection connection, int seconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(seconds);
        }
    }

    private static int queryTimeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.getQueryTimeout();
        }
    }

    /** H2 keeps the limit of a statement for its session. */
    @Test
    void aLockLeavesTheQueryTimeoutAsItWas() throws SQLException {
        try (Connection first = begin();
                Connection second = beginImpatient()) {
            setQueryTimeout(first, 17);
            setQueryTimeout(second, 18);
            fence.lockUntilCommit(first, name, Duration.ofSeconds(5));
            assertThat(queryTimeout(first)).isEqualTo(17);
            assertThatThrownBy(() -> fence.lockUntilCommit(second, name, Duration.ofSeconds(1)))
                    .isInstanceOf(SQLException.class);
            assertThat(queryTimeout(second)).isEqualTo(18);
            assertThatThrownBy(() -> fence.lockUntilCommit(second, name, Duration.ofSeconds(1)))
                    .isInstanceOf(SQLException.class);
            second.rollback();
            first.rollback();
        }
    }

    @Test
    void aTransactionThatBeganBeforeTheFirstLockIsToldToRepeat() throws SQLException {
        try (Connection old = begin()) {
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(token(old)).isEmpty();
            assertThatThrownBy(() -> fence.lockUntilCommit(old, name, Duration.ofSeconds(5)))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"))
                    .hasMessageContaining("repeat the transaction");
            old.rollback();
            fence.lockUntilCommit(old, name, Duration.ofSeconds(5));
            old.rollback();
        }
    }
}
