package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.StoreClient;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are not the primary of a replica set. */
class OtherServersTest {

    private static final Set<String> WRITES = Set.of("update", "findandmodify");

    private static final class Backend extends MemoryBackend {

        private volatile boolean router;
        private volatile boolean replaced;

        @Override
        public Document handleCommand(Channel channel, String database, String command, Document query) {
            if (replaced && WRITES.contains(command.toLowerCase(Locale.ROOT))) {
                throw new MongoServerError(10_107, "NotWritablePrimary", "not primary");
            }
            Document answer = super.handleCommand(channel, database, command, query);
            return router && command.equalsIgnoreCase("isMaster") ? answer.append("msg", "isdbgrid") : answer;
        }
    }

    private final Backend backend = new Backend();
    private final MongoServer server = new MongoServer(backend);

    @BeforeEach
    void start() {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, 1);
    }

    @AfterEach
    void close() {
        server.shutdownNow();
    }

    private StoreClient client(boolean lazy) {
        String uri = "mongodb://127.0.0.1:" + server.getLocalAddress().getPort() + "/holdfast_test";
        return new StoreClient(new MongoStoreProvider(), uri, config -> config.withLazy(lazy));
    }

    /** The hold was granted by its successor. */
    @Test
    void aPrimaryThatWasReplacedWithoutKnowingItReportsNoLoss() {
        try (StoreClient client = client(false)) {
            client.granted("held", 1);
            client.release("held", 1);
            backend.replaced = true;
            assertThatThrownBy(() -> client.renew("held", 2)).isInstanceOf(StoreException.class);
            backend.replaced = false;
            assertThat(client.renew("held", 2)).isInstanceOf(Renew.Lost.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRouterIsRefused(boolean lazy) {
        backend.router = true;
        assertThat(catchThrowableOfType(StoreException.class, () -> use(lazy)))
                .hasMessageContaining("this is a router of a sharded cluster")
                .extracting(StoreException::effect)
                .isEqualTo(Effect.REFUSED);
    }

    private void use(boolean lazy) {
        try (StoreClient client = client(lazy)) {
            var unused = client.acquire("name", 1);
        }
    }
}
