package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A first connection that fails before the connect timeout has passed. */
@Timeout(180)
class FirstConnectionTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Nobody listens there. */
    private static final int NO_SERVER = 1;

    static Stream<DatabaseServer> servers() {
        return Stream.of(Servers.postgreSql(), Servers.mariaDb());
    }

    private static HoldfastBuilder builder(String uri) {
        return Holdfast.builder().uri(uri).connectTimeout(LIMIT);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void isTriedAgainIfItIsClosedAtOnce(DatabaseServer server) throws Exception {
        try (Wire wire = new Wire(NO_SERVER)) {
            CompletableFuture<Holdfast> connecting = CompletableFuture.supplyAsync(
                    () -> builder(server.uri(wire.port())).build());
            Await.until("further attempts", () -> connecting.isDone() || wire.connections() >= 4);
            wire.leadTo(server.port());
            try (Holdfast holdfast = connecting.get(60, TimeUnit.SECONDS)) {
                Await.until("it acquires", () -> holdfast.lock("closed at once").tryLock());
            }
        }
    }

    /** The driver then tells only that the last one of its hosts has refused. */
    @Test
    void isTriedAgainIfNothingListensAtOneOfTwoHosts() throws Exception {
        DatabaseServer server = Servers.postgreSql();
        try (Wire wire = new Wire(NO_SERVER)) {
            String host = "localhost:" + wire.port();
            String uri = server.uri(wire.port()).replace(host, host + ",localhost:" + NO_SERVER);
            assertThat(uri).contains(",");
            CompletableFuture<Holdfast> connecting =
                    CompletableFuture.supplyAsync(() -> builder(uri).build());
            Await.until("further attempts", () -> connecting.isDone() || wire.connections() >= 4);
            wire.leadTo(server.port());
            try (Holdfast holdfast = connecting.get(60, TimeUnit.SECONDS)) {
                Await.until("it acquires", () -> holdfast.lock("two hosts").tryLock());
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void isTriedAgainIfTheServerIsSilent(DatabaseServer server) throws Exception {
        try (Wire wire = new Wire(server.port())) {
            wire.blockAnswers(true);
            CompletableFuture<Holdfast> connecting = CompletableFuture.supplyAsync(
                    () -> builder(server.uri(wire.port())).build());
            Await.until("a second attempt", () -> connecting.isDone() || wire.connections() >= 2);
            wire.blockAnswers(false);
            try (Holdfast holdfast = connecting.get(60, TimeUnit.SECONDS)) {
                Await.until("it acquires", () -> holdfast.lock("silent").tryLock());
            }
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void isNotTriedAgainIfTheUserIsRefused(DatabaseServer server) {
        HoldfastBuilder builder = builder(server.uri().replaceFirst("user=\\w+", "user=nobody&password=wrong"));
        long start = System.nanoTime();
        assertThatThrownBy(() -> builder.build().close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("it does not accept user and password");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT.dividedBy(2));
    }

    @Tag("ci")
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void isNotTriedAgainWhereNobodyListens(DatabaseServer server) {
        Duration limit = Duration.ofMinutes(2);
        HoldfastBuilder builder = builder(server.uri(NO_SERVER)).connectTimeout(limit);
        long start = System.nanoTime();
        assertThatThrownBy(() -> builder.build().close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nothing listens there; check host and port, and that the server runs");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(limit.dividedBy(2));
    }
}
