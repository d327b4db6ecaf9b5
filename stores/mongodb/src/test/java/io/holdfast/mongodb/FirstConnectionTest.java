package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A first connection that fails before the connect timeout has passed, or at its end. */
@Timeout(180)
class FirstConnectionTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** Nobody listens there. */
    private static final int NO_SERVER = 1;

    private static final int UNAUTHORIZED = 13;
    private static final int NOT_PRIMARY = 10_107;

    /** Fails some requests for an index. */
    private static final class Backend extends MemoryBackend {

        private final int code;
        private final AtomicInteger failuresLeft;

        Backend(int code, int failures) {
            this.code = code;
            failuresLeft = new AtomicInteger(failures);
        }

        @Override
        public Document handleCommand(Channel channel, String database, String command, Document query) {
            if (command.equalsIgnoreCase("createIndexes") && failuresLeft.getAndDecrement() > 0) {
                throw new MongoServerError(code, "Test", "a failure of the test");
            }
            return super.handleCommand(channel, database, command, query);
        }
    }

    private static HoldfastBuilder builder(String hosts, Duration limit) {
        return Holdfast.builder().uri("mongodb://" + hosts + "/holdfast_test").connectTimeout(limit);
    }

    private static HoldfastBuilder builder(int port) {
        return builder("127.0.0.1:" + port, LONG);
    }

    /** Returns the time for which the attempts last. */
    private static Duration assertUnavailable(HoldfastBuilder builder, String... texts) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> builder.build().close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll(texts);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Tag("everywhere")
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:1", "127.0.0.1:1,127.0.0.1:2"})
    void failsAtOnceWhereNobodyListens(String hosts) {
        Duration took = assertUnavailable(
                builder(hosts, LONG),
                "MongoDB at " + hosts,
                "nothing listens there; check host and port, and that the server runs");
        assertThat(took).isLessThan(LONG.dividedBy(2));
    }

    @Test
    void failsAtOnceIfARightIsMissing() {
        MongoServer server = start(new Backend(UNAUTHORIZED, Integer.MAX_VALUE));
        try {
            HoldfastBuilder builder = builder(server.getLocalAddress().getPort());
            long start = System.nanoTime();
            assertThatThrownBy(() -> builder.build().close())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("the user has no right to it");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONG.dividedBy(2));
        } finally {
            server.shutdownNow();
        }
    }

    private static MongoServer start(Backend backend) {
        MongoServer server = new MongoServer(backend);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, 1);
        return server;
    }

    @Test
    void isTriedAgainIfTheServerIsNotThePrimaryYet() {
        MongoServer server = start(new Backend(NOT_PRIMARY, 2));
        try (Holdfast holdfast = builder(server.getLocalAddress().getPort()).build()) {
            Await.until("it acquires", () -> holdfast.lock("not primary").tryLock());
        } finally {
            server.shutdownNow();
        }
    }

    /** The driver makes a connection every half second, so the attempts outlast the command timeout. */
    @Test
    void isTriedUntilTheServerListens() throws Exception {
        try (Wire wire = new Wire(NO_SERVER)) {
            HoldfastBuilder builder = builder(wire.port()).commandTimeout(Duration.ofSeconds(1));
            CompletableFuture<Holdfast> connecting = CompletableFuture.supplyAsync(builder::build);
            Await.until("further attempts", () -> connecting.isDone() || wire.connections() >= 5);
            wire.leadTo(Servers.port());
            try (Holdfast holdfast = connecting.get(120, TimeUnit.SECONDS)) {
                Await.until("it acquires", () -> holdfast.lock("closed at once").tryLock());
            }
        }
    }

    @Test
    void isTriedForTheConnectTimeoutWhereNobodyListensAtOneOfTwoAddresses() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            Duration took = assertUnavailable(
                    builder("127.0.0.1:1," + address, SHORT),
                    "within 3000 ms",
                    "127.0.0.1:1: nothing listens there",
                    address + ": no answer in time");
            assertThat(took).isGreaterThanOrEqualTo(SHORT);
        }
    }

    @Test
    void namesAnUnknownHostWithoutTheUser() {
        HoldfastBuilder builder = builder("somebody:secret@no-such-host.invalid", SHORT);
        assertThatThrownBy(() -> builder.build().close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll("within 3000 ms", "no-such-host.invalid:27017: there is no such host")
                .hasMessageNotContainingAny("somebody", "secret");
    }
}
