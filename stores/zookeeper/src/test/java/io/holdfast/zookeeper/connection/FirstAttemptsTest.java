package io.holdfast.zookeeper.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.support.NothingListens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The causes of attempts that fail. Nobody listens on ports 1 and 2. */
class FirstAttemptsTest {

    private final List<String> unreachable = new ArrayList<>();
    private final List<IOException> refusals = new ArrayList<>();
    private final ServerSocket silent;

    FirstAttemptsTest() throws IOException {
        silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        silent.setSoTimeout(100);
    }

    @AfterEach
    void close() throws IOException {
        silent.close();
    }

    private HostProvider attempts(int... ports) {
        return attempts(new StaticHostProvider(IntStream.of(ports)
                .mapToObj(port -> InetSocketAddress.createUnresolved("127.0.0.1", port))
                .toList()));
    }

    private HostProvider attempts(HostProvider hosts) {
        return new FirstAttempts(
                hosts,
                Duration.ofMinutes(1),
                (server, why) -> unreachable.add(Failures.unreachable(server, why)),
                refusals::add);
    }

    /** Makes attempts, of which the last one is under way. */
    private static void tries(HostProvider hosts, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(hosts.next(0)).isNotNull();
        }
    }

    private void assertNobodyConnects() {
        assertThatThrownBy(silent::accept).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void reportsOnceWhenEveryServerHasRefused() {
        HostProvider hosts = attempts(1, 2);
        tries(hosts, 2);
        assertThat(refusals).isEmpty();
        tries(hosts, 1);
        assertThat(refusals).hasSize(1).allMatch(NothingListens::isCauseOf);
        tries(hosts, 5);
        assertThat(refusals).hasSize(1);
        assertThat(unreachable)
                .containsExactlyInAnyOrder(
                        "127.0.0.1:1: " + NothingListens.TEXT, "127.0.0.1:2: " + NothingListens.TEXT);
    }

    @Test
    void aServerThatAcceptsHasNotRefused() throws IOException {
        tries(attempts(1, silent.getLocalPort()), 5);
        assertThat(refusals).isEmpty();
        assertThat(unreachable).containsExactly("127.0.0.1:1: " + NothingListens.TEXT);
        silent.accept().close();
        assertNobodyConnects();
    }

    @Test
    void anUnknownHostIsNamed() {
        HostProvider unknown =
                new StaticHostProvider(List.of(InetSocketAddress.createUnresolved("nowhere", 1)), name -> {
                    throw new UnknownHostException(name);
                });
        tries(attempts(unknown), 5);
        assertThat(refusals).isEmpty();
        assertThat(unreachable).containsExactly("nowhere:1: there is no such host; check the name, and the DNS");
    }

    @Test
    void anAttemptThatIsUnderWayIsLeftAlone() {
        tries(attempts(silent.getLocalPort()), 1);
        assertNobodyConnects();
    }

    @Test
    void aConnectionThatIsCutIsNoFailedAttempt() {
        HostProvider hosts = attempts(silent.getLocalPort());
        tries(hosts, 1);
        hosts.onConnected();
        tries(hosts, 5);
        assertNobodyConnects();
    }
}
