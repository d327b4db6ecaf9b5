package io.holdfast.jdbc.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.Tables;
import io.holdfast.testkit.Await;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections that a source remembers. */
@Tag("everywhere")
class SourceTest {

    private final Opener opener = new Opener(Thread::new, 5_000, () -> "");
    private final AtomicInteger connects = new AtomicInteger();
    private final Source source = new Source(this::connect, new H2(Tables.DEFAULT), 2_000, opener);

    private Connection connect() throws SQLException {
        connects.incrementAndGet();
        return DriverManager.getConnection("jdbc:h2:mem:");
    }

    @AfterEach
    void close() {
        source.closeConnections(Runnable::run).join();
        opener.close();
    }

    @Test
    void lendsTheOneThatWasOpenedInAdvanceOnce() throws Exception {
        source.openReady();
        Connection one = source.getConnection();
        assertThat(connects).hasValue(1);
        assertThat(source.getConnection()).isNotSameAs(one);
        assertThat(connects).hasValue(2);
    }

    @Test
    void closesTheOneThatWasOpenedInAdvance() throws Exception {
        source.openReady();
        source.closeConnections(Runnable::run).join();
        assertThat(source.getConnection().isClosed()).isTrue();
    }

    @Test
    void closesThoseThatAreOpen() throws Exception {
        Connection one = source.getConnection();
        Connection other = source.getConnection();
        source.closeConnections(Runnable::run).join();
        assertThat(one.isClosed()).isTrue();
        assertThat(other.isClosed()).isTrue();
    }

    @Test
    void opensNoneAfterThat() {
        source.closeConnections(Runnable::run).join();
        assertThatThrownBy(source::getConnection).hasMessageContaining("the client is closed");
    }

    @Test
    void forgetsThoseThatWereClosed() throws Exception {
        WeakReference<Connection> closed = new WeakReference<>(closedConnection());
        Connection next = source.getConnection();
        Await.until("it is collected", () -> {
            System.gc();
            return closed.get() == null;
        });
        assertThat(next.isClosed()).isFalse();
    }

    private Connection closedConnection() throws SQLException {
        Connection connection = source.getConnection();
        connection.close();
        return connection;
    }
}
