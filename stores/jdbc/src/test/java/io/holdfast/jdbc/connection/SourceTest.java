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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections that a source remembers. */
@Tag("everywhere")
class SourceTest {

    private final Opener opener = new Opener(Thread::new, 5_000, () -> "");
    private final Source source =
            new Source(() -> DriverManager.getConnection("jdbc:h2:mem:"), new H2(Tables.DEFAULT), 2_000, opener);

    @AfterEach
    void close() {
        source.closeConnections(Runnable::run).join();
        opener.close();
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
