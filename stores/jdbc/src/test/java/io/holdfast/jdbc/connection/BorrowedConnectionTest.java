package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.Views;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection of a pool of H2, which ignores an abort. The pool keeps the connection of the driver open. */
@Timeout(60)
class BorrowedConnectionTest {

    private static final String TIMEOUT = "SELECT LOCK_TIMEOUT()";

    private Connection driver;
    private final CountDownLatch returns = new CountDownLatch(1);
    private final CountDownLatch aborts = new CountDownLatch(1);
    private final CountDownLatch hanging = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);
    /** The call of the connection that hangs. */
    private volatile String hangs = "none";

    @BeforeEach
    void connect() throws SQLException {
        driver = DriverManager.getConnection("jdbc:h2:mem:");
        execute(driver, "SET LOCK_TIMEOUT 777");
    }

    @AfterEach
    void disconnect() throws SQLException {
        driver.close();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int number(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(TIMEOUT)) {
            assertThat(result.next()).isTrue();
            return result.getInt(1);
        }
    }

    private Connection view() throws SQLException {
        Connection pooled = Views.of(driver, (method, arguments, real) -> {
            if (method.equals(hangs)) {
                hanging.countDown();
                assertThat(over.await(20, TimeUnit.SECONDS)).isTrue();
            }
            return switch (method) {
                case "close" -> {
                    returns.countDown();
                    yield null;
                }
                case "unwrap" -> driver();
                default -> real.run();
            };
        });
        return BorrowedConnection.of(pooled, new H2(Tables.DEFAULT), 2_000);
    }

    private Connection driver() {
        return Views.of(driver, (method, arguments, real) -> {
            if (method.equals("abort")) {
                aborts.countDown();
            }
            return real.run();
        });
    }

    @Test
    void refusesCallsAfterItsReturn() throws SQLException {
        Connection view = view();
        view.close();
        assertThat(view.isClosed()).isTrue();
        assertThatThrownBy(view::createStatement)
                .isInstanceOf(SQLException.class)
                .hasMessage("the connection was returned to the DataSource");
        assertThat(view).hasToString("a connection of the DataSource");
        assertThat(number(driver)).isEqualTo(777);
    }

    @Test
    void isReturnedWithItsSettingsIfItsDriverIgnoresAnAbort() throws SQLException {
        Connection view = view();
        execute(view, "SET LOCK_TIMEOUT 5");
        view.abort(Runnable::run);
        assertThat(returns.getCount()).isZero();
        assertThat(number(driver)).isEqualTo(777);
    }

    @Test
    void isAbortedWhileTheRestoringOfItsSettingsHangs() throws Exception {
        Connection view = view();
        CompletableFuture<Void> user = closeHangingIn("setReadOnly", view);
        assertThat(view.isClosed()).as("closed, so that nobody aborts it").isFalse();
        view.abort(Runnable::run);
        assertThat(aborts.getCount()).as("the driver is asked to abort it").isZero();
        over.countDown();
        user.get(20, TimeUnit.SECONDS);
        assertThat(view.isClosed()).isTrue();
        assertThat(returns.getCount()).isZero();
    }

    /** From then on, it may be another user's. */
    @Test
    void isNotAbortedWhenThePoolHasIt() throws Exception {
        Connection view = view();
        CompletableFuture<Void> user = closeHangingIn("close", view);
        assertThat(view.isClosed()).isTrue();
        view.abort(Runnable::run);
        over.countDown();
        user.get(20, TimeUnit.SECONDS);
        view.abort(Runnable::run);
        assertThat(aborts.getCount()).as("the driver is not asked to abort it").isOne();
    }

    private CompletableFuture<Void> closeHangingIn(String call, Connection view) throws InterruptedException {
        hangs = call;
        CompletableFuture<Void> user = CompletableFuture.runAsync(() -> {
            try {
                view.close();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(hanging.await(20, TimeUnit.SECONDS)).isTrue();
        return user;
    }
}
