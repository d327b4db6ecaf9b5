package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a fence keeps in the databases in which a lock is a row. */
abstract class RowFenceRules extends FenceRules {

    /** Makes the row of the lock, in a transaction that is still open. */
    private Connection makeRow() throws SQLException {
        Connection transaction = begin();
        try (PreparedStatement insert =
                transaction.prepareStatement("INSERT INTO holdfast_fence (name, token) VALUES (?, 0)")) {
            insert.setBytes(1, key("L"));
            insert.executeUpdate();
        }
        return transaction;
    }

    @Test
    void waitsForTheRowThatAnotherTransactionMakes() throws Exception {
        try (Connection maker = makeRow();
                Connection transaction = begin()) {
            CompletableFuture<Void> lock =
                    later(() -> fence.lockUntilCommit(transaction, name, Duration.ofSeconds(20)));
            assertThatThrownBy(() -> lock.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            maker.commit();
            lock.get();
            transaction.rollback();
        }
    }

    @Test
    void theWaitForTheRowThatAnotherTransactionMakesIsLimited() throws SQLException {
        try (Connection maker = makeRow();
                Connection transaction = begin()) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> fence.lockUntilCommit(transaction, name, Duration.ofSeconds(1)))
                    .isInstanceOf(SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            maker.rollback();
            transaction.rollback();
        }
    }

    @Test
    void aFullPoolIsToldInTime() throws Exception {
        CompletableFuture<Connection> late = new CompletableFuture<>();
        AtomicBoolean full = new AtomicBoolean();
        JdbcFence waiting = JdbcFence.of(Sources.of(() -> full.get() ? late.join() : database.getConnection()));
        full.set(true);
        try (Connection transaction = begin()) {
            assertThatThrownBy(() -> waiting.lockUntilCommit(transaction, name, Duration.ofSeconds(1)))
                    .hasMessageContaining(
                            "no answer within 1000 ms from the DataSource; the application's pool may be full");
            transaction.rollback();
        }
        Connection connection = database.getConnection();
        late.complete(connection);
        Await.until("what came too late is returned", () -> isClosed(connection));
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneConnectionIsEnoughForANameThatWasLocked() throws SQLException {
        try (Connection transaction = begin()) {
            fence.lockUntilCommit(transaction, name, Duration.ofSeconds(5));
            transaction.rollback();
            AtomicInteger others = new AtomicInteger();
            JdbcFence counted = JdbcFence.of(Sources.of(() -> {
                others.incrementAndGet();
                return database.getConnection();
            }));
            for (int i = 0; i < 5; i++) {
                counted.lockUntilCommit(transaction, name, Duration.ofSeconds(5));
                transaction.rollback();
            }
            assertThat(others).as("connections of the fence").hasValue(2);
        }
    }

    /** A data source that returns one connection to all threads. */
    @Test
    void refusesADataSourceThatReturnsTheConnectionOfTheTransaction() throws SQLException {
        try (Connection transaction = database.getConnection()) {
            JdbcFence bound = JdbcFence.of(Sources.of(() -> Sources.unclosed(transaction)));
            transaction.setAutoCommit(false);
            assertThatThrownBy(() -> bound.lockUntilCommit(transaction, name, Duration.ofSeconds(5)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("the DataSource has returned the connection of the transaction");
            transaction.rollback();
        }
    }
}
