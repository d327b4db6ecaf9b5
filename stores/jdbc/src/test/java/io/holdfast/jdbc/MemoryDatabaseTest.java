package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;

/** A database in memory, which lives as long as it has a connection. */
class MemoryDatabaseTest {

    /** More of them than there are connections, each of which ends its own. */
    private static final int FAILURES = 15;

    @Test
    void outlivesRequestsThatFail() {
        String url = "jdbc:h2:mem:" + Databases.name();
        try (StoreClient client = Databases.client(url)) {
            client.granted("lock", 1);
            for (int i = 0; i < FAILURES; i++) {
                assertThatThrownBy(() -> client.granted("n".repeat(3_000), 2)).isInstanceOf(StoreException.class);
            }
            assertThat(client.renew("lock", 1)).isInstanceOf(Renew.Renewed.class);
        }
    }

    @Test
    void keepsAConnectionOpenToADatabaseInTheMemoryOfAServer() throws SQLException {
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + Databases.name();
        try (StoreClient client = Databases.client(url);
                Databases other = Databases.at(url, "SELECT COUNT(*) - 1 FROM information_schema.sessions")) {
            client.granted("lock", 1);
            assertThat(other.sessions()).as("beside that of the pool").isEqualTo(2);
        } finally {
            server.stop();
        }
    }

    @Test
    void anInterruptedCloseEndsAllThreadsAndChangesNothingOfOthers() {
        int timeout = DriverManager.getLoginTimeout();
        StoreClient client = Databases.client("jdbc:h2:mem:" + Databases.name());
        client.granted("lock", 1);
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted()).isTrue();
        Await.threadsGone("holdfast-");
        assertThat(DriverManager.getLoginTimeout()).isEqualTo(timeout);
    }
}
