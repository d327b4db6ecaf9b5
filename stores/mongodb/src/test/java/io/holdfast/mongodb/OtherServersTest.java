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
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that are not the primary of a replica set. */
class OtherServersTest {

    private static final Set<String> WRITES = Set.of("update", "findandmodify");

    private static final class Backend extends MemoryBackend {

        private volatile boolean router;
        private volatile boolean replaced;

        /** Answers like a member of a replica set, whose writes the driver repeats. */
        private volatile boolean member;

        /** Applies the next acquire, and ends the connection before the answer. */
        private volatile boolean cuts;

        /** Knows that it was replaced. */
        private volatile boolean ended;

        @Override
        public Document handleCommand(Channel channel, String database, String command, Document query) {
            if (replaced && WRITES.contains(command.toLowerCase(Locale.ROOT))) {
                ended = true;
                throw new MongoServerError(10_107, "NotWritablePrimary", "not primary");
            }
            Document answer = super.handleCommand(channel, database, command, query);
            if (cuts && command.equalsIgnoreCase("findAndModify")) {
                cuts = false;
                replaced = true;
                var unused = channel.close();
            }
            return command.equalsIgnoreCase("isMaster") ? describe(channel, answer) : answer;
        }

        private Document describe(Channel channel, Document answer) {
            if (member) {
                String address = channel.localAddress().toString().substring(1);
                answer.append("setName", "rs")
                        .append("hosts", List.of(address))
                        .append("me", address)
                        .append("logicalSessionTimeoutMinutes", 30)
                        .append("ismaster", !ended)
                        .append("secondary", ended);
            }
            return router ? answer.append("msg", "isdbgrid") : answer;
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

    private String uri() {
        return "mongodb://127.0.0.1:" + server.getLocalAddress().getPort() + "/holdfast_test";
    }

    private StoreClient client(boolean lazy) {
        return new StoreClient(new MongoStoreProvider(), uri(), config -> config.withLazy(lazy));
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

    /** The driver reports the failure of the repetition only. */
    @Tag("slow")
    @Test
    void aWriteThatTheDriverHasRepeatedMayHaveBeenApplied() {
        backend.member = true;
        try (StoreClient client = new StoreClient(
                new MongoStoreProvider(),
                uri() + "?replicaSet=rs",
                config -> config.withTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(3)))) {
            client.granted("cut", 1);
            client.release("cut", 1);
            backend.cuts = true;
            assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("cut", 2)))
                    .extracting(StoreException::effect)
                    .isEqualTo(Effect.UNKNOWN);
            backend.ended = false;
            backend.replaced = false;
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
