package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.LoadedDrivers;
import io.holdfast.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The thread that opens connections, and what it opens for nobody. */
@ExtendWith(LoadedDrivers.class)
class OpenerTest {

    /** Far less than the time after which a thread ends that has nothing to do. */
    private static final long SOON_MILLIS = 2_000;

    private static final long LIMIT_MILLIS = 2_000;
    private static final long BRIEF_MILLIS = 300;
    private static final long PATIENT_MILLIS = 20_000;

    private final List<Thread> threads = new ArrayList<>();
    private final Opener opener = new Opener(this::thread, LIMIT_MILLIS, () -> " from anybody");

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task, "opens");
        threads.add(thread);
        return thread;
    }

    private static Connection database() throws SQLException {
        return DriverManager.getConnection("jdbc:h2:mem:");
    }

    private static boolean isClosed(Connection connection) {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        opener.close();
    }

    private void assertItsThreadEnds() throws InterruptedException {
        opener.close();
        assertThat(threads).hasSize(1);
        threads.get(0).join(SOON_MILLIS);
        assertThat(threads.get(0).isAlive()).as("its thread lives").isFalse();
    }

    @Test
    void itsThreadEndsWithIt() throws Exception {
        opener.limit(PATIENT_MILLIS);
        opener.open(OpenerTest::database).close();
        assertItsThreadEnds();
    }

    @Test
    void opensNothingAfterItsEnd() {
        opener.close();
        assertThatThrownBy(() -> opener.open(OpenerTest::database)).hasMessageContaining("the client is closed");
        assertThat(threads).isEmpty();
    }

    @Test
    void closesWhatComesTooLate() throws Exception {
        CompletableFuture<Connection> late = new CompletableFuture<>();
        assertThatThrownBy(() -> opener.open(late::join))
                .isInstanceOf(SQLTimeoutException.class)
                .hasMessage("no answer within " + LIMIT_MILLIS + " ms from anybody");
        Connection connection = database();
        late.complete(connection);
        Await.until("it is closed", () -> isClosed(connection));
        assertItsThreadEnds();
    }

    @Test
    void opensConnectionsBesideThreeCallsThatHang() throws Exception {
        CompletableFuture<Connection> never = new CompletableFuture<>();
        opener.limit(BRIEF_MILLIS);
        for (int i = 0; i < 3; i++) {
            hang(never);
        }
        opener.limit(PATIENT_MILLIS);
        opener.open(OpenerTest::database).close();
        opener.limit(BRIEF_MILLIS);
        hang(never);
        assertThatThrownBy(() -> opener.open(OpenerTest::database))
                .as("beside four calls that hang")
                .isInstanceOf(SQLTimeoutException.class);
        never.complete(database());
        opener.limit(PATIENT_MILLIS);
        opener.open(OpenerTest::database).close();
        assertThat(threads).hasSize(4);
    }

    /** Makes a call that hangs. One that a busy machine has not begun within the time limit is made again. */
    private void hang(CompletableFuture<Connection> never) {
        AtomicBoolean begun = new AtomicBoolean();
        while (!begun.get()) {
            assertThatThrownBy(() -> opener.open(() -> {
                        begun.set(true);
                        return never.join();
                    }))
                    .isInstanceOf(SQLTimeoutException.class);
        }
    }
}
