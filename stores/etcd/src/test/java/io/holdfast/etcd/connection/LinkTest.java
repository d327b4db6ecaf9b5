package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.Await;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("everywhere")
class LinkTest {

    private static Settings settings(String server, Optional<Settings.Login> login) {
        return new Settings(List.of(server), login, Optional.empty(), "holdfast/", Duration.ofSeconds(30));
    }

    private static Link link(String server, Optional<Settings.Login> login) {
        return link(server, login, Platform.system());
    }

    private static Link link(String server, Optional<Settings.Login> login, Platform platform) {
        return new Link(settings(server, login), server, platform, Duration.ofSeconds(30));
    }

    /** A platform whose clock the test sets. */
    private static Platform at(AtomicLong nanos) {
        return (Platform) Proxy.newProxyInstance(
                LinkTest.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (proxy, method, arguments) -> method.getName().equals("nanoTime")
                        ? nanos.get()
                        : method.invoke(Platform.system(), arguments));
    }

    /** Nobody listens on port 1. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:1", "localhost:1", "[::1]:1"})
    void aServerThatDoesNotListenIsUnavailable(String server) {
        Link link = link(server, Optional.empty());
        var answer = link.call(KVGrpc.getRangeMethod(), RangeRequest.getDefaultInstance())
                .toCompletableFuture();
        Await.until("it fails", answer::isDone);
        assertThatThrownBy(answer::join)
                .satisfies(error ->
                        assertThat(Status.fromThrowable(error).getCode()).isEqualTo(Code.UNAVAILABLE));
        link.close();
    }

    /** A log-in that has failed fails every later call. */
    @Test
    void aConnectionThatCouldNotLogInIsReplacedAfterASecond() {
        AtomicLong nanos = new AtomicLong();
        Link link = link("127.0.0.1:1", Optional.of(new Settings.Login("app", "p")), at(nanos));
        var answer = link.call(KVGrpc.getRangeMethod(), RangeRequest.getDefaultInstance())
                .toCompletableFuture();
        Await.until("it fails", answer::isDone);
        nanos.set(Duration.ofMillis(999).toNanos());
        assertThat(link.needsAnotherLogIn(Status.INVALID_ARGUMENT)).isFalse();
        nanos.set(Duration.ofSeconds(1).toNanos());
        assertThat(link.needsAnotherLogIn(Status.INVALID_ARGUMENT)).isTrue();
        link.close();
    }

    @Test
    void aUserThatIsAskedForLaterLogsIn() {
        Link without = link("127.0.0.1:1", Optional.empty());
        Status asked = Status.INVALID_ARGUMENT.withDescription("etcdserver: user name is empty");
        assertThat(without.needsAnotherLogIn(asked)).isFalse();
        without.close();
    }
}
