package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.FencedOutException;
import io.holdfast.jdbc.sql.FenceSql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a fence keeps in every database. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class FenceRules {

    private static final AtomicInteger NAMES = new AtomicInteger();

    final String name = "orders/ü" + NAMES.incrementAndGet();
    final HikariDataSource database = new HikariDataSource();
    JdbcFence fence;

    abstract String uri();

    /** The isolation levels in which a transaction may lock. */
    List<Integer> levels() {
        return List.of(
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE);
    }

    @BeforeEach
    void connect() throws SQLException {
        database.setJdbcUrl(uri());
        fence = JdbcFence.of(database);
    }

    /** The isolation levels in which a transaction reads what was committed while it waited for its lock. */
    List<Integer> readingTheLatest() {
        return List.of(Connection.TRANSACTION_READ_COMMITTED);
    }

    @AfterEach
    void close() {
        database.close();
    }

    final Connection begin() throws SQLException {
        Connection transaction = database.getConnection();
        transaction.setAutoCommit(false);
        return transaction;
    }

    /** Begins a transaction whose wait for a lock is soon over. */
    Connection beginImpatient() throws SQLException {
        return begin();
    }

    final void guard(long token) throws SQLException {
        guard(name, token);
    }

    private void guard(String guarded, long token) throws SQLException {
        try (Connection transaction = begin()) {
            fence.guard(transaction, guarded, token);
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

    /** The row of the name is inserted, but not committed, when the second guard begins. */
    @Test
    void theSecondOfTheFirstGuardsOfANameIsCompared() throws Exception {
        CompletableFuture<Void> older;
        CompletableFuture<Void> newer;
        try (Connection transaction = begin()) {
            fence.guard(transaction, name, 9);
            older = guardLater(8);
            newer = guardLater(10);
            assertWaits(older);
            assertWaits(newer);
            transaction.commit();
        }
        assertThatThrownBy(older::get).hasCauseInstanceOf(FencedOutException.class);
        newer.get();
    }

    private CompletableFuture<Void> guardLater(long token) {
        return later(() -> guard(token));
    }

    /** A step of a test. */
    interface Step {
        void run() throws Exception;
    }

    static CompletableFuture<Void> later(Step step) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        step.run();
                    } catch (RuntimeException e) {
                        throw e;
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                },
                task -> new Thread(task).start());
    }

    private static void assertWaits(CompletableFuture<Void> call) {
        assertThatThrownBy(() -> call.get(300, TimeUnit.MILLISECONDS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
    }

    @Test
    void aRefusalInAnOldSnapshotNamesTheHighestToken() throws SQLException {
        for (int level : levels()) {
            String own = name + level;
            guard(own, 4);
            assertRefusedInAnOldSnapshot(own, level);
        }
    }

    @Test
    void aRefusalByARowThatAnOldSnapshotDoesNotHaveNamesTheHighestToken() throws SQLException {
        for (int level : levels()) {
            assertRefusedInAnOldSnapshot(name + level, level);
        }
    }

    /** A database may also refuse the transaction itself, because its snapshot is too old. */
    private void assertRefusedInAnOldSnapshot(String own, int level) throws SQLException {
        guard(1);
        try (Connection old = begin()) {
            old.setTransactionIsolation(level);
            assertThat(token(old)).hasValue(1);
            guard(own, 10);
            assertThatThrownBy(() -> fence.guard(old, own, 5))
                    .as("level " + level)
                    .satisfiesAnyOf(
                            e -> assertThat(e)
                                    .isInstanceOfSatisfying(
                                            FencedOutException.class,
                                            refusal -> assertThat(refusal.highest())
                                                    .isEqualTo(10)),
                            e -> assertThat(e)
                                    .isInstanceOfSatisfying(
                                            SQLException.class,
                                            repeat -> assertThat(repeat.getSQLState())
                                                    .isEqualTo("40001")));
            old.rollback();
        }
    }

    @Test
    void theFirstLocksOfANameExcludeEachOtherInEachIsolationLevel() throws Exception {
        for (int level : levels()) {
            AtomicInteger inside = new AtomicInteger();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(later(() -> lockAlone(name + level, level, inside)));
            }
            for (CompletableFuture<Void> each : all) {
                each.get();
            }
        }
    }

    private void lockAlone(String own, int level, AtomicInteger inside) throws Exception {
        try (Connection transaction = begin()) {
            transaction.setTransactionIsolation(level);
            long start = System.nanoTime();
            fence.lockUntilCommit(transaction, own, Duration.ofSeconds(20));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            assertThat(inside.incrementAndGet())
                    .as("transactions inside, level " + level)
                    .isEqualTo(1);
            Thread.sleep(200);
            inside.decrementAndGet();
            transaction.commit();
        }
    }

    /** Returns after a repetition if the database asks for it. */
    private void lockRepeatedly(Connection transaction) throws SQLException {
        try {
            fence.lockUntilCommit(transaction, name, Duration.ofSeconds(20));
        } catch (SQLException e) {
            transaction.rollback();
            fence.lockUntilCommit(transaction, name, Duration.ofSeconds(20));
        }
    }

    @Test
    void aLockHoldsAfterItsRowWasDeleted() throws SQLException {
        for (int level : levels()) {
            try (Connection first = begin();
                    Connection second = beginImpatient()) {
                first.setTransactionIsolation(level);
                second.setTransactionIsolation(level);
                fence.lockUntilCommit(first, name, Duration.ofSeconds(20));
                first.commit();
                deleteRow();
                lockRepeatedly(first);
                assertThatThrownBy(() -> fence.lockUntilCommit(second, name, Duration.ofSeconds(1)))
                        .isInstanceOf(SQLException.class);
                second.rollback();
                first.rollback();
            }
        }
    }

    private void deleteRow() throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement delete = connection.prepareStatement("DELETE FROM holdfast_fence WHERE name = ?")) {
            delete.setBytes(1, key("L"));
            delete.executeUpdate();
        }
    }

    /** Returns the key of the row of a guard (G) or of a lock (L). */
    final byte[] key(String kind) {
        return (kind + name).getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whoWaitedForALockReadsWhatItsHolderHasCommitted() throws Exception {
        for (int level : readingTheLatest()) {
            try (Connection first = begin();
                    Connection second = begin()) {
                second.setTransactionIsolation(level);
                fence.lockUntilCommit(first, name, Duration.ofSeconds(5));
                fence.guard(first, name, 7 + level);
                CompletableFuture<Void> other = later(() -> {
                    fence.lockUntilCommit(second, name, Duration.ofSeconds(20));
                    assertThat(token(second)).as("token, level " + level).hasValue(7 + level);
                    second.rollback();
                });
                assertWaits(other);
                first.commit();
                other.get();
            }
        }
    }

    /** Returns the token of the name, as a transaction sees it. */
    final OptionalLong token(Connection transaction) throws SQLException {
        try (PreparedStatement query =
                transaction.prepareStatement("SELECT token FROM holdfast_fence WHERE name = ?")) {
            query.setBytes(1, key("G"));
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
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
                Connection second = beginImpatient()) {
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

    /** Each would admit an old token in silence, on one of the databases at least. */
    @ParameterizedTest
    @CsvSource({
        "without_a_key, ' PRIMARY KEY', '', two rows of one name",
        "with_inexact_tokens, 'token bigint', 'token double precision', the token that was written"
    })
    void aTableThatDoesNotServeIsRefused(String table, String right, String wrong, String reason) throws SQLException {
        refuse(table, right, wrong, reason);
    }

    final void refuse(String table, String right, String wrong, String reason) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            String sql = FenceSql.of(connection.getMetaData().getDatabaseProductName())
                    .orElseThrow()
                    .schema(table)
                    .replace(right, wrong);
            statement.execute(sql);
        }
        assertThatThrownBy(() -> JdbcFence.of(database, table))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("does not serve as a fence")
                .hasMessageContaining(reason);
    }

    @Test
    void anotherTableIsRefused() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS other_fence (id INT)");
        }
        assertThatThrownBy(() -> JdbcFence.of(database, "other_fence")).isInstanceOf(SQLException.class);
    }
}
