package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.LockReport;
import io.holdfast.jdbc.LoadedDrivers;
import io.holdfast.jdbc.TellingPool;
import io.holdfast.jdbc.Views;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A pool over a data source that has no connection left. */
@ExtendWith(LoadedDrivers.class)
class ConnectionsTest {

    private static final Duration BRIEF = Duration.ofSeconds(2);
    private static final Duration COMMAND = Duration.ofSeconds(8);

    /** More than the limit that the message names, by what a busy machine may take. */
    private static final Duration AT_MOST = Duration.ofSeconds(20);

    private final AtomicReference<SQLException> failure = new AtomicReference<>();
    private final AtomicInteger opened = new AtomicInteger();
    /** Whether the database answers on the connections that are open. */
    private volatile boolean answers = true;

    private Optional<ApplicationPool> application = Optional.of(new ApplicationPool(new TellingPool.Dbcp(10)));
    private Duration took = Duration.ZERO;

    private Connections open(Duration timeout) {
        return open(timeout, this::connection);
    }

    private Connections open(Duration timeout, Opener.Attempt<Connection> driver) {
        return new Connections(
                StoreConfig.of("jdbc:datasource", LockReport.Client.unknown("c"), Platform.system())
                        .withTimeouts(timeout, timeout),
                new Database(new H2(Tables.DEFAULT), "a database", true, driver, () -> "", application, false));
    }

    private Connection connection() throws SQLException {
        if (failure.get() != null) {
            throw failure.get();
        }
        opened.incrementAndGet();
        Connection real = DriverManager.getConnection("jdbc:h2:mem:");
        return Views.of(real, (method, arguments, call) -> method.equals("isValid") ? answers : call.run());
    }

    /** Returns a connection whose next statements that delete a row fail, because another transaction has locked its table. */
    private static Connection locked(Connection connection, AtomicInteger failing) {
        return (Connection) Proxy.newProxyInstance(
                ConnectionsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")
                            && String.valueOf(arguments[0]).startsWith("DELETE")
                            && failing.getAndDecrement() > 0) {
                        throw new SQLException("Timeout trying to lock table", "HYT00", 50_200);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** H2 ends the wait for a lock after 5 ms. */
    @Test
    void connectsAfterTwentyAttemptsThatFailEarly() {
        AtomicInteger failing = new AtomicInteger(20);
        Connections connections = open(Duration.ofMinutes(1), () -> locked(connection(), failing));
        connections.connect();
        assertThat(failing).hasNonPositiveValue();
        connections.close();
    }

    /** Uses all connections at once, until there is none. */
    private StoreException failed(Duration timeout, SQLException cause) {
        failure.set(null);
        Connections connections = open(timeout);
        try {
            connections.connect();
            long start = System.nanoTime();
            StoreException failed = catchThrowableOfType(StoreException.class, () -> use(connections, cause));
            took = Duration.ofNanos(System.nanoTime() - start);
            return failed;
        } finally {
            connections.close();
        }
    }

    private boolean use(Connections connections, SQLException cause) {
        return connections.run("acquire 'x'", connection -> {
            failure.set(cause);
            return use(connections, cause);
        });
    }

    /** Before the engine gives the request up, which would then count as one that may have been applied. */
    @Test
    void failsInTimeWithTheReasonAsNotApplied() {
        StoreException failed = failed(COMMAND, new SQLTransientConnectionException("all 10 are in use"));
        assertThat(took).isLessThan(AT_MOST);
        assertThat(failed)
                .hasMessage("H2 at a database: acquire 'x': no connection within 6000 ms from the DataSource; the"
                        + " application's pool has lent none (2 of 10 connections are in use): all 10 are in use");
        assertThat(failed.effect()).isEqualTo(Effect.NOT_APPLIED);
    }

    /** A driver reports a connection that broke during its preparation by the code of a wrong statement. */
    @Test
    void isNotRefusedByACodeThatIsNotListed() {
        assertThat(failed(BRIEF, new SQLException("cannot be called on a closed connection", "42000"))
                        .effect())
                .isEqualTo(Effect.NOT_APPLIED);
        // its password was changed
        assertThat(failed(BRIEF, new SQLException("wrong user name or password", "28000"))
                        .effect())
                .isEqualTo(Effect.REFUSED);
    }

    private SQLException failing(Connection connection, SQLException failure) throws SQLException {
        // a statement that the database has refused leaves the connection as it is
        assertThat(connection.isValid(1)).isEqualTo(answers);
        throw failure;
    }

    private int openedAfterFailures(SQLException each) {
        failure.set(null);
        Connections connections = open(COMMAND);
        try {
            connections.connect();
            int before = opened.get();
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> connections.run("acquire 'x'", connection -> failing(connection, each)))
                        .isInstanceOf(StoreException.class);
                assertThatThrownBy(() -> connections.runWrite("acquire 'x'", connection -> failing(connection, each)))
                        .isInstanceOf(StoreException.class);
            }
            return opened.get() - before;
        } finally {
            connections.close();
        }
    }

    /** The pool of an application, and the connections that a client opens itself. */
    private List<Optional<ApplicationPool>> pools() {
        return List.of(application, Optional.empty());
    }

    @Test
    void keepsAConnectionWhoseStatementsAreRefused() {
        for (Optional<ApplicationPool> each : pools()) {
            application = each;
            for (String state : List.of("42S02", "90096", "22001", "57014", "99999")) {
                assertThat(openedAfterFailures(new SQLException("refused", state)))
                        .as("connections after " + state)
                        // the pool may just have opened one that is idle
                        .isLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void replacesAConnectionThatIsBad() {
        assertThat(openedAfterFailures(new SQLException("cut off", "08006"))).isGreaterThanOrEqualTo(39);
    }

    /** The failure alone says nothing about the connection. */
    @Test
    void replacesAConnectionOnWhichNothingIsAnswered() {
        answers = false;
        for (Optional<ApplicationPool> each : pools()) {
            application = each;
            assertThat(openedAfterFailures(new SQLTimeoutException("no answer")))
                    .as("connections, which are borrowed: " + each.isPresent())
                    .isGreaterThanOrEqualTo(39);
        }
    }
}
