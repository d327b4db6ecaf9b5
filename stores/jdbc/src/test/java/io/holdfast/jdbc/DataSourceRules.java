package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client of a user's data source keeps, in every database. */
@Timeout(180)
abstract class DataSourceRules {

    private static final int CONNECTIONS = 8;
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String name = "source" + NAMES.incrementAndGet();
    private final HikariDataSource pool = new HikariDataSource();

    abstract String uri();

    /** The statement that gives a session settings that no client sets. */
    abstract String unusual();

    /** The query that returns the settings of its session in one column. */
    abstract String settings();

    @BeforeEach
    void configure() {
        pool.setJdbcUrl(uri());
        pool.setConnectionInitSql(unusual());
        pool.setMaximumPoolSize(CONNECTIONS);
        pool.setMinimumIdle(1);
        pool.setIsolateInternalQueries(true);
        pool.setConnectionTimeout(10_000);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private static String settings(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            assertThat(result.next()).isTrue();
            return result.getString(1) + " " + connection.getAutoCommit() + " " + connection.isReadOnly() + " "
                    + connection.getTransactionIsolation() + " " + connection.getNetworkTimeout();
        }
    }

    /** The settings of each connection of the pool. */
    private List<String> all() throws SQLException {
        List<Connection> borrowed = new ArrayList<>();
        List<String> settings = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                borrowed.add(pool.getConnection());
                settings.add(settings(borrowed.get(i), settings()));
                borrowed.get(i).rollback();
            }
        } finally {
            for (Connection each : borrowed) {
                each.close();
            }
        }
        return settings;
    }

    private void awaitAllReturned() {
        Await.until("all are returned", () -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    @Test
    void connectionsAreReturnedAsTheyWere() throws Exception {
        pool.setAutoCommit(false);
        List<String> before = all();
        assertThat(before).containsOnly(before.get(0));
        try (Holdfast holder = JdbcHoldfast.connect(pool);
                Holdfast waiter = JdbcHoldfast.connect(pool)) {
            Lease lease = holder.lock(name).acquire();
            CompletableFuture<Lease> next = waiter.lock(name).async().acquire();
            Await.until("somebody waits", () -> !waiter.inspect(name).waiters().isEmpty());
            lease.close();
            assertThat(Await.reply(next).fencingToken()).isGreaterThan(lease.fencingToken());
        }
        assertThat(pool.isClosed()).isFalse();
        awaitAllReturned();
        assertThat(all()).isEqualTo(before);
    }

    /** Otherwise the application would use it together with a statement of the client, or with what that leaves behind. */
    @Test
    void aConnectionInUseIsNotReturned() throws Exception {
        AtomicBoolean held = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        assertNotReturnedWhileInUse(
                sql -> {
                    boolean first = held.compareAndSet(true, false);
                    if (first) {
                        begun.countDown();
                    }
                    return first;
                },
                holdfast -> {
                    held.set(true);
                    var unused = holdfast.lock(name).async().tryAcquire();
                    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
                });
    }

    interface Use {
        void of(Holdfast holdfast) throws Exception;
    }

    /** Closes a client while one of its connections is in use. */
    final void assertNotReturnedWhileInUse(Predicate<String> held, Use use) throws Exception {
        pool.setAutoCommit(false);
        List<String> before = all();
        CountDownLatch returned = new CountDownLatch(1);
        DataSource source = Sources.wrapping(pool, () -> Sources.held(pool.getConnection(), held, returned));
        try (Holdfast holdfast = JdbcHoldfast.connect(source)) {
            use.of(holdfast);
        }
        awaitAllReturned();
        assertThat(returned.getCount()).as("not returned while in use").isOne();
        assertThat(all()).isEqualTo(before);
    }

    @Test
    void aDriverThatHangsDelaysTheCloseForSecondsOnly() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Holdfast holdfast = withDriver(() -> {
            try {
                var unused = over.await(2, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
        });
        CompletableFuture<Void> closed = CompletableFuture.runAsync(holdfast::close, task -> new Thread(task).start());
        try {
            closed.get(30, TimeUnit.SECONDS);
        } finally {
            over.countDown();
        }
        awaitAllReturned();
    }

    @Test
    void aDriverThatFailsAtTheCloseKeepsNoConnection() throws InterruptedException {
        withDriver(() -> {
                    throw new IllegalStateException("a bug of the driver");
                })
                .close();
        awaitAllReturned();
    }

    /** A client that has introduced itself, and before whose statements something happens from then on. */
    private Holdfast withDriver(Sources.Action before) throws InterruptedException {
        AtomicBoolean begins = new AtomicBoolean();
        DataSource source = Sources.wrapping(
                pool,
                () -> Sources.beforeEachStatement(pool.getConnection(), () -> {
                    if (begins.get()) {
                        before.run();
                    }
                }));
        Holdfast holdfast = JdbcHoldfast.connect(source);
        Lease lease = holdfast.lock(name).acquire();
        Await.until("the client has said who it is", () -> hosts(holdfast) == 1);
        lease.close();
        begins.set(true);
        return holdfast;
    }

    @Test
    void theHoldersOfAllLocksAreKnown() throws InterruptedException {
        try (Holdfast observer = JdbcHoldfast.connect(pool);
                Holdfast one = JdbcHoldfast.connect(pool);
                Holdfast other = JdbcHoldfast.connect(pool);
                Lease first = one.lock(name + "-1").acquire();
                Lease second = other.lock(name + "-2").acquire()) {
            Await.until("both have said who they are", () -> hosts(observer) == 2);
            assertThat(List.of(first, second)).allMatch(Lease::isValid);
        }
    }

    private long hosts(Holdfast observer) {
        return observer.list(name).stream()
                .flatMap(report -> report.holders().stream())
                .filter(holder -> holder.client().host().isPresent())
                .count();
    }

    /** A data source that returns the connection of the caller's transaction. */
    @Test
    void aLockOutlivesTheTransactionOfTheCaller() throws Exception {
        try (Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            Thread caller = Thread.currentThread();
            DataSource bound = Sources.of(
                    () -> Thread.currentThread() == caller ? Sources.unclosed(transaction) : pool.getConnection());
            try (Holdfast holdfast = JdbcHoldfast.connect(bound);
                    Lease lease = holdfast.lock(name).acquire()) {
                transaction.rollback();
                assertThat(lease.isValid()).isTrue();
                try (Holdfast other = JdbcHoldfast.connect(pool)) {
                    assertThat(other.lock(name).tryLock()).isFalse();
                }
            }
        }
    }

    /** A data source that returns the connection of the caller's transaction. */
    @Test
    void aFenceLeavesTheTransactionOfTheCallerOpen() throws Exception {
        JdbcFence plain = JdbcFence.of(pool);
        try (Connection transaction = pool.getConnection();
                Connection other = pool.getConnection()) {
            transaction.setAutoCommit(false);
            other.setAutoCommit(false);
            plain.guard(transaction, name, 9);
            Thread caller = Thread.currentThread();
            JdbcFence fence = JdbcFence.of(Sources.of(
                    () -> Thread.currentThread() == caller ? Sources.unclosed(transaction) : pool.getConnection()));
            assertThat(transaction.getAutoCommit())
                    .as("auto-commit after the fence is made")
                    .isFalse();
            fence.lockUntilCommit(transaction, name, Duration.ofSeconds(5));
            assertThat(transaction.getAutoCommit())
                    .as("auto-commit after a lock")
                    .isFalse();
            assertThatThrownBy(() -> plain.lockUntilCommit(other, name, Duration.ofSeconds(1)))
                    .isInstanceOf(SQLException.class);
            other.rollback();
            transaction.rollback();
            plain.guard(other, name, 1);
            other.rollback();
        }
    }

    @Test
    void aFenceReturnsConnectionsWithTheAutoCommitThatTheyHad() throws Exception {
        try (Connection lent = pool.getConnection();
                Connection transaction = pool.getConnection()) {
            lent.setAutoCommit(false);
            transaction.setAutoCommit(false);
            JdbcFence fence = JdbcFence.of(Sources.of(() -> Sources.unclosed(lent)));
            assertThat(lent.getAutoCommit()).isFalse();
            fence.lockUntilCommit(transaction, name, Duration.ofSeconds(5));
            assertThat(lent.getAutoCommit()).isFalse();
            transaction.rollback();
        }
    }

    @Test
    void aFullPoolIsToldInTime() throws Exception {
        pool.setMaximumPoolSize(1);
        try (Connection only = pool.getConnection()) {
            assertThatThrownBy(() -> JdbcHoldfast.builder(pool)
                            .connectTimeout(Duration.ofMillis(500))
                            .build())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no answer within 500 ms from the DataSource; the application's pool is full"
                            + " (1 of 1 connections are in use)");
            assertThat(only.isValid(20)).isTrue();
        }
    }

    private static Holdfast impatient(DataSource source) {
        return JdbcHoldfast.builder(source)
                .uri("jdbc:datasource?signals=look")
                .commandTimeout(Duration.ofMillis(500))
                .build();
    }

    private static void closeAll(List<Connection> connections) throws SQLException {
        for (Connection each : connections) {
            each.close();
        }
    }

    @Test
    void tellsThatThePoolHasBecomeFull() throws Exception {
        pool.setMaximumPoolSize(3);
        List<Connection> borrowed = new CopyOnWriteArrayList<>();
        DataSource source = Sources.wrapping(pool, () -> {
            Connection connection = pool.getConnection();
            borrowed.add(connection);
            return connection;
        });
        try (Holdfast holdfast = impatient(source)) {
            closeAll(borrowed);
            List<Connection> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                all.add(pool.getConnection());
            }
            assertSays(
                    "no connection within 375 ms from the DataSource; the application's pool is full"
                            + " (3 of 3 connections are in use)",
                    () -> holdfast.lock(name).tryLock());
            closeAll(all);
            Await.until("it is acquired", () -> isAcquired(holdfast.lock(name)));
        }
    }

    /** Not the first time, if the machine was too slow to hear what is wrong. */
    private static void assertSays(String text, ThrowingCallable call) {
        AtomicReference<String> last = new AtomicReference<>();
        try {
            Await.until("the text has: " + text, () -> {
                Throwable thrown = catchThrowable(call);
                assertThat(thrown).isInstanceOf(HoldfastException.class);
                last.set(thrown.getMessage());
                return thrown.getMessage().contains(text);
            });
        } catch (AssertionError e) {
            throw new AssertionError("the last text was: " + last, e);
        }
    }

    @Test
    void warnsOfAPoolThatIsTooSmall() {
        String expected = "lends one or two connections";
        DataSource untold = Sources.of(pool::getConnection);
        assertThat(warningsAtConnect(1, untold)).singleElement().asString().contains(expected);
        assertWarnsOfNothing(2, untold);
        assertThat(warningsAtConnect(2, pool)).singleElement().asString().contains(expected);
        assertWarnsOfNothing(3, pool);
    }

    /** Not the first time, if the machine was too slow to lend in time. */
    private void assertWarnsOfNothing(int size, DataSource source) {
        Await.until(
                "nothing is warned of", () -> warningsAtConnect(size, source).isEmpty());
    }

    private List<String> warningsAtConnect(int size, DataSource source) {
        pool.setMaximumPoolSize(size);
        try (Warnings warnings = new Warnings()) {
            JdbcHoldfast.builder(source)
                    .uri("jdbc:datasource?signals=look")
                    .build()
                    .close();
            return warnings.texts();
        }
    }

    @Test
    void aPoolThatBecomesFullFailsCallsUntilItIsNot() throws Exception {
        List<Connection> borrowed = new CopyOnWriteArrayList<>();
        AtomicBoolean full = new AtomicBoolean();
        DataSource source = Sources.of(() -> {
            if (full.get()) {
                throw new SQLTransientConnectionException("all 10 are in use");
            }
            Connection connection = pool.getConnection();
            borrowed.add(connection);
            return connection;
        });
        try (Holdfast holdfast = impatient(source)) {
            full.set(true);
            closeAll(borrowed);
            long start = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> holdfast.lock(name).tryLock()).isInstanceOf(HoldfastException.class);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            full.set(false);
            Await.until("it is acquired", () -> isAcquired(holdfast.lock(name)));
        }
    }

    @Test
    void oneConnectionIsEnough() throws Exception {
        pool.setMaximumPoolSize(1);
        try (Holdfast holdfast = JdbcHoldfast.builder(pool)
                .uri("jdbc:datasource?signals=look")
                .commandTimeout(Duration.ofSeconds(20))
                .build()) {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                String own = name + "-" + i;
                callers.add(
                        CompletableFuture.runAsync(() -> holdfast.lock(own).lock(), task -> new Thread(task).start()));
            }
            for (CompletableFuture<Void> each : callers) {
                each.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static boolean isAcquired(DistributedLock lock) {
        try {
            return lock.tryLock();
        } catch (HoldfastException e) {
            return false;
        }
    }

    /** Many callers wait for rows that another transaction keeps locked. */
    @Test
    void renewalsGetAConnection() throws Exception {
        Duration lease = Duration.ofSeconds(20);
        try (Holdfast holdfast = JdbcHoldfast.builder(pool).lease(lease).build();
                Connection transaction = pool.getConnection()) {
            transaction.setAutoCommit(false);
            List<String> names =
                    IntStream.range(0, 12).mapToObj(i -> name + "-" + i).toList();
            // all rows exist before one is locked, because a locked row of InnoDB may keep new ones beside it out
            holdfast.lock(name).acquire().close();
            for (String each : names) {
                holdfast.lock(each).acquire().close();
            }
            for (String each : names) {
                lockRow(transaction, each);
            }
            try (Lease held = holdfast.lock(name).acquire()) {
                AtomicBoolean over = new AtomicBoolean();
                List<CompletableFuture<Void>> callers = new ArrayList<>();
                for (String each : names) {
                    callers.add(CompletableFuture.runAsync(
                            () -> {
                                while (!over.get()) {
                                    var unused = isAcquired(holdfast.lock(each));
                                }
                            },
                            task -> new Thread(task).start()));
                }
                AtomicInteger most = new AtomicInteger();
                long renewals = holdfast.stats().renewals();
                Await.until("the lease is renewed twice", () -> {
                    most.accumulateAndGet(pool.getHikariPoolMXBean().getActiveConnections(), Math::max);
                    return holdfast.stats().renewals() >= renewals + 2;
                });
                assertThat(held.isValid()).isTrue();
                assertThat(most.get())
                        .as("connections with that of the transaction")
                        .isLessThanOrEqualTo(7);
                over.set(true);
                transaction.rollback();
                for (CompletableFuture<Void> each : callers) {
                    each.get(20, TimeUnit.SECONDS);
                }
            }
        }
    }

    private static void lockRow(Connection transaction, String name) throws SQLException {
        try (PreparedStatement statement =
                transaction.prepareStatement("SELECT version FROM holdfast_locks WHERE name = ? FOR UPDATE")) {
            statement.setBytes(1, ("L" + name).getBytes(StandardCharsets.UTF_8));
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
            }
        }
    }
}
