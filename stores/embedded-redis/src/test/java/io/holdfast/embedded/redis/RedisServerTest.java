package io.holdfast.embedded.redis;

import static io.holdfast.embedded.redis.Await.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class RedisServerTest {

    @Test
    void stopLeavesNoProcessNoPortAndNoFolder() throws Exception {
        RedisServer server = RedisServer.start();
        assertThat(Processes.lives(server.pid())).isTrue();
        assertThat(server.home()).exists();
        assertThat(server.dir()).isEqualTo(server.home());
        assertThat(server.uri()).isEqualTo("redis://127.0.0.1:" + server.port());
        assertThat(Resp.call(server.port(), "SET", "k", "v")).isEqualTo("+OK");

        server.stop();

        assertGone(server);
    }

    @Test
    void secondCloseHasNoEffectAndAllElseIsRefused() {
        RedisServer server = RedisServer.start();
        server.close();
        server.close();

        assertThatIllegalStateException().isThrownBy(server::pause).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(server::kill).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(server::restart).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(server::awaitReady).withMessageContaining("closed");
    }

    @Test
    void processIdIsThatOfTheServer() throws Exception {
        try (RedisServer server = RedisServer.start();
                Resp client = Resp.connect(server.port())) {
            assertThat(client.call("EVAL", "return redis.call('INFO','server'):match('process_id:(%d+)')", "0"))
                    .isEqualTo(Long.toString(server.pid()));
        }
    }

    @Test
    void keepsNothingByDefault() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            Resp.call(server.port(), "SET", "k", "v");

            server.restart();

            assertThat(Resp.call(server.port(), "GET", "k")).isEqualTo("$-1");
        }
    }

    @Test
    void restartOnTheSamePortKeepsWhatIsInTheAppendOnlyFile() throws Exception {
        try (RedisServer server = RedisServer.start("--appendonly", "yes")) {
            int port = server.port();
            long pid = server.pid();
            Resp.call(port, "SET", "k", "v");

            server.restart();

            assertThat(server.port()).isEqualTo(port);
            assertThat(server.pid()).isNotEqualTo(pid);
            assertThat(Processes.lives(pid)).isFalse();
            assertThat(getLoaded(port, "k")).isEqualTo("v");
        }
    }

    @Test
    void killedServerKeepsItsFolderAndCanBeRestarted() throws Exception {
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always")) {
            Resp.call(server.port(), "SET", "k", "v");

            server.kill();
            server.kill();

            assertThat(Processes.lives(server.pid())).isFalse();
            assertThat(Processes.canBind(server.port())).isTrue();
            assertThat(server.dir()).exists();
            assertThatIllegalStateException().isThrownBy(server::pause).withMessageContaining("is not running");

            server.restart();

            assertThat(getLoaded(server.port(), "k")).isEqualTo("v");
        }
    }

    @Test
    void serverThatEndedByItselfIsNoticedAndCanBeRestarted() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            assertThatThrownBy(() -> Resp.call(server.port(), "SHUTDOWN", "NOSAVE"))
                    .isInstanceOf(IOException.class);

            assertThatIllegalStateException()
                    .isThrownBy(server::awaitReady)
                    .withMessageContaining("does not answer")
                    .withMessageContaining("bye bye");

            server.restart();

            assertThat(Resp.call(server.port(), "PING")).isEqualTo("+PONG");
        }
    }

    @Test
    void folderOfTheCallerOutlivesTheServer(@TempDir Path temp) throws Exception {
        Path dir = temp.resolve("made/for me");
        RedisServer.Builder same = RedisServer.builder().dir(dir).args("--appendonly", "yes");
        RedisServer first = same.start();
        Resp.call(first.port(), "SET", "k", "v");
        first.close();
        assertGone(first.pid(), first.port(), first.home());
        assertThat(dir.resolve("redis.log")).isNotEmptyFile();

        try (RedisServer second = same.port(first.port()).start()) {
            assertThat(second.port()).isEqualTo(first.port());
            assertThat(second.dir()).isEqualTo(dir);
            assertThat(getLoaded(second.port(), "k")).isEqualTo("v");
        }
    }

    @Test
    void pausedServerAnswersNothingUntilResumed() throws Exception {
        try (RedisServer server = RedisServer.start();
                Resp client = Resp.connect(server.port())) {
            assertThat(client.call("PING")).isEqualTo("+PONG");

            server.pause();
            client.timeout(200);
            client.send("PING");
            assertThatThrownBy(client::receive).isInstanceOf(SocketTimeoutException.class);

            server.resume();
            client.timeout(20_000);
            assertThat(client.receive()).isEqualTo("+PONG");
            server.awaitReady();
        }
    }

    @Test
    void pausedServerIsStoppedInGoodOrder(@TempDir Path dir) throws Exception {
        RedisServer server = RedisServer.builder().dir(dir).start();
        server.pause();

        server.close();

        assertGone(server);
        assertThat(dir.resolve("redis.log")).content().contains("bye bye");
    }

    @Test
    void pausedServerIsRestarted() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            server.pause();

            server.restart();

            assertThat(Resp.call(server.port(), "PING")).isEqualTo("+PONG");
        }
    }

    @Test
    void passwordIsNoHindrance() throws Exception {
        try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
            assertThat(Resp.call(server.port(), "PING")).startsWith("-NOAUTH");
        }
    }

    @Test
    void loadingServerCountsAsUp(@TempDir Path dir) throws Exception {
        RedisServer.Builder same = RedisServer.builder().dir(dir).args("--appendonly", "yes");
        try (RedisServer server = same.start();
                Resp client = Resp.connect(server.port())) {
            client.call("EVAL", "for i = 1, 20000 do redis.call('SET', 'k' .. i, i) end", "0");
        }
        try (RedisServer server = same.args("--key-load-delay", "1000").start()) {
            assertThat(Resp.call(server.port(), "PING")).startsWith("-LOADING");
            server.kill();
        }
    }

    @Test
    void aSentinelHasTheFileThatItNeeds() throws Exception {
        try (RedisServer master = RedisServer.start();
                RedisServer sentinel = RedisServer.builder()
                        .config("sentinel monitor orders 127.0.0.1 " + master.port() + " 1")
                        .args("--sentinel")
                        .start()) {
            assertThat(Resp.call(sentinel.port(), "SENTINEL", "CKQUORUM", "orders"))
                    .startsWith("+OK");
        }
    }

    @Test
    void quietLogLevelIsNoHindrance() {
        assertThatCode(() -> RedisServer.start("--loglevel", "warning").close()).doesNotThrowAnyException();
    }

    @Test
    void wrongArgumentIsReportedWithTheEndOfTheLog() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.start("--no-such-option", "1"))
                .withMessageContaining("did not start")
                .withMessageContaining("no-such-option \"1\"")
                .withMessageContaining("Bad directive");
    }

    @Test
    void restartThatFailsCanBeTriedAgain() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            server.kill();
            try (ServerSocket squatter = occupy(server.port())) {
                assertThat(squatter.isBound()).isTrue();
                assertThatIllegalStateException()
                        .isThrownBy(server::restart)
                        .withMessageContaining("did not start")
                        .withMessageContaining("in use");
            }
            server.restart();
            assertThat(Resp.call(server.port(), "PING")).isEqualTo("+PONG");
        }
    }

    @Test
    void portOfAStrangerIsNotTakenForOurs() throws Exception {
        try (RedisServer stranger = RedisServer.start()) {
            assertThatIllegalStateException()
                    .isThrownBy(
                            () -> RedisServer.builder().port(stranger.port()).start())
                    .withMessageContaining(Integer.toString(stranger.port()))
                    .withMessageContaining("in use");
        }
    }

    @Test
    void argumentsOfTheServerItselfAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisServer.start("--port", "1"))
                .withMessageContaining("--port");
        assertThatIllegalArgumentException().isThrownBy(() -> RedisServer.start("--DIR /tmp"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisServer.builder().port(0))
                .withMessageContaining("port 0");
        assertThatCode(() -> RedisServer.builder().args("--portable")).doesNotThrowAnyException();
    }

    @Test
    void interruptNeitherCutsShortNorIsLost() throws Exception {
        Thread.currentThread().interrupt();
        RedisServer server = RedisServer.start();
        server.close();
        assertThat(Thread.interrupted()).isTrue();
        assertGone(server);
    }

    @Test
    void manyStartAtOnce() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        try {
            List<Future<RedisServer>> starts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                starts.add(pool.submit(() -> RedisServer.start()));
            }
            for (Future<RedisServer> start : starts) {
                RedisServer server = start.get();
                assertThat(Resp.call(server.port(), "PING")).isEqualTo("+PONG");
                server.close();
                assertGone(server);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static String getLoaded(int port, String key) throws Exception {
        try (Resp client = Resp.connect(port)) {
            await("the data is loaded", () -> !client.call("PING").startsWith("-LOADING"));
            return client.call("GET", key);
        }
    }

    private static ServerSocket occupy(int port) throws IOException {
        return new ServerSocket(port, 1, Loopback.address());
    }

    private static void assertGone(RedisServer server) {
        assertGone(server.pid(), server.port(), server.home());
    }

    private static void assertGone(long pid, int port, Path home) {
        assertThat(Processes.lives(pid)).isFalse();
        assertThat(Processes.canBind(port)).isTrue();
        assertThat(home).doesNotExist();
    }
}
