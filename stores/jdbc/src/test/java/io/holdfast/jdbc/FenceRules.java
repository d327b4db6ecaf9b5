package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.FencedOutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a fence keeps in every database. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class FenceRules {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String name = "orders/ü" + NAMES.incrementAndGet();
    private final HikariDataSource database = new HikariDataSource();
    private JdbcFence fence;

    abstract String uri();

    @BeforeEach
    void connect() throws SQLException {
        database.setJdbcUrl(uri());
        fence = JdbcFence.of(database);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private Connection begin() throws SQLException {
        Connection transaction = database.getConnection();
        transaction.setAutoCommit(false);
        return transaction;
    }

    private void guard(long token) throws SQLException {
        try (Connection transaction = begin()) {
            fence.guard(transaction, name, token);
            transaction.commit();
        }
    }

    @Test
    void anOlderTokenIsRefused() throws SQLException {
        guard(5);
        guard(5);
        guard(7);

        assertThatThrownBy(() -> guard(6)).isInstanceOfSatisfying(FencedOutException.class, e -> {
            assertThat(e.highest()).isEqualTo(7);
            assertThat(e.fencingToken()).isEqualTo(6);
            assertThat(e.resource()).isEqualTo(name);
        });
        guard(7);
    }

    @Test
    void aRefusalChangesNothing() throws SQLException {
        guard(7);
        assertThatThrownBy(() -> guard(6)).isInstanceOf(FencedOutException.class);
        assertThatThrownBy(() -> guard(6)).isInstanceOf(FencedOutException.class);
        guard(7);
    }

    @Test
    void aTokenThatIsRolledBackIsForgotten() throws SQLException {
        guard(5);
        try (Connection transaction = begin()) {
            fence.guard(transaction, name, 9);
            transaction.rollback();
        }
        guard(6);
    }

    @Test
    void tokensOfTwoNamesAreNotCompared() throws SQLException {
        guard(Long.MAX_VALUE);
        try (Connection transaction = begin()) {
            fence.guard(transaction, name.toUpperCase(java.util.Locale.ROOT), 1);
            transaction.rollback();
        }
    }

    @Test
    void anotherTransactionWaitsAndIsThenRefused() throws Exception {
        guard(1);
        CompletableFuture<Void> older;
        try (Connection transaction = begin()) {
            fence.guard(transaction, name, 9);
            older = CompletableFuture.runAsync(() -> {
                try {
                    guard(8);
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            assertThatThrownBy(() -> older.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            transaction.commit();
        }
        assertThatThrownBy(older::get).hasCauseInstanceOf(FencedOutException.class);
    }

    /** A guard that locks the gap between rows makes the first guards of neighbouring names deadlock. */
    @Test
    void theFirstGuardsOfManyNamesDoNotDeadlock() throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int first = thread;
            all.add(CompletableFuture.runAsync(() -> {
                for (int i = first; i < 100; i += 4) {
                    try (Connection transaction = begin()) {
                        transaction.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                        fence.guard(transaction, name + i, 1);
                        transaction.commit();
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        for (CompletableFuture<Void> each : all) {
            each.get();
        }
    }

    @Test
    void aLockEndsWithItsTransaction() throws Exception {
        try (Connection first = begin();
                Connection second = begin()) {
            fence.lockUntilCommit(first, name, Duration.ofSeconds(5));
            fence.lockUntilCommit(first, name, Duration.ofSeconds(5));
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                try {
                    fence.lockUntilCommit(second, name, Duration.ofSeconds(20));
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            assertThatThrownBy(() -> other.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            first.commit();
            other.get();
            second.rollback();
        }
    }

    @Test
    void theWaitForALockIsLimited() throws Exception {
        try (Connection first = begin();
                Connection second = begin()) {
            fence.lockUntilCommit(first, name, Duration.ofSeconds(5));
            long start = System.nanoTime();
            assertThatThrownBy(() -> fence.lockUntilCommit(second, name, Duration.ofMillis(1)))
                    .isInstanceOf(SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            second.rollback();
            first.rollback();
        }
    }

    @Test
    void aLockDoesNotHinderAGuardOfItsName() throws Exception {
        try (Connection transaction = begin()) {
            fence.lockUntilCommit(transaction, name, Duration.ofSeconds(5));
            guard(3);
            transaction.rollback();
        }
    }

    @Test
    void refusesWhatIsNoTransaction() throws SQLException {
        try (Connection connection = database.getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> fence.guard(connection, name, 1))
                    .withMessageContaining("auto-commit is on");
            assertThatIllegalStateException()
                    .isThrownBy(() -> fence.lockUntilCommit(connection, name, Duration.ofSeconds(1)));
        }
    }

    @Test
    void refusesBadArguments() throws SQLException {
        try (Connection transaction = begin()) {
            assertThatIllegalArgumentException().isThrownBy(() -> fence.guard(transaction, "", 1));
            assertThatIllegalArgumentException().isThrownBy(() -> fence.guard(transaction, "n".repeat(513), 1));
            assertThatIllegalArgumentException().isThrownBy(() -> fence.guard(transaction, name, 0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> fence.lockUntilCommit(transaction, name, Duration.ZERO));
            assertThatIllegalArgumentException().isThrownBy(() -> JdbcFence.of(database, "a;b"));
            fence.guard(transaction, "n".repeat(512), 1);
            transaction.rollback();
        }
    }

    @Test
    void aTableOfItsOwnNameIsMade() throws SQLException {
        JdbcFence other = JdbcFence.of(database, "orders_fence");
        guard(9);
        try (Connection transaction = begin()) {
            other.guard(transaction, name, 1);
            transaction.rollback();
        }
    }

    @Test
    void anotherTableIsRefused() throws SQLException {
        try (Connection connection = database.getConnection();
                java.sql.Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS other_fence (id INT)");
        }
        assertThatThrownBy(() -> JdbcFence.of(database, "other_fence")).isInstanceOf(SQLException.class);
    }
}
