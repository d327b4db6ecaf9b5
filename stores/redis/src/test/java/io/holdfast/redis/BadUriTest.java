package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.HoldfastException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.testkit.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that lead nowhere, or where the caller is not let in. No text, nor any cause, shows the password. */
class BadUriTest {

    private static HoldfastBuilder builder(String uri) {
        return Holdfast.builder().uri(uri).name("bad-uri");
    }

    private static void assertIsNotShown(String secret, Throwable error) {
        StringWriter all = new StringWriter();
        error.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain(secret);
    }

    // ---- the form

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:",
                "redis:host",
                "redis:user:secret@host",
                "redis:/:secret@host",
                "redis://",
                "redis://:secret@",
                "redis://:secret@host:0",
                "redis://:secret@host:70000",
                "redis://:secret@host:port",
                "redis://:secret\n@host",
                "redis://:sec\nret:secret@host",
                "redis://:secret@host/x",
                "redis://:secret@host/-1",
                "redis://:secret@host?timeout=1s",
                "redis://:sec/secret@host",
                "redis://:sec%zzsecret@host",
                "redis://:secret@host1,host2:6379",
                "rediss:secret@host",
                "rediss://u:secret@a b"
            })
    void aUriOfAnotherFormIsRefusedWithTheRightOne(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(uri))
                .withMessageContaining("not a Redis URI: '" + uri.substring(0, uri.indexOf(':') + 1))
                .withMessageContaining("the form is redis://[user:password@]host[:port][/database]")
                .satisfies(e -> assertIsNotShown("secret", e));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "localhost", ":6379", "//host", ":secret@host", "secret@host", "secret@host:6379", "1:2"})
    void aUriWithoutASchemeIsRefusedWithAnExample(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(uri))
                .withMessageContainingAll("has no scheme", "redis://localhost:6379", "memory:")
                .satisfies(e -> assertIsNotShown("secret", e));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redi://user:secret@host",
                "Redis://:secret@host",
                "redis-sentinal://:secret@host",
                "couchbase://host?password=secret",
                "http://host"
            })
    void anUnknownSchemeIsRefusedWithTheKnownOnes(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(uri))
                .withMessageContaining(
                        "no store for the scheme '" + uri.substring(0, uri.indexOf(':')) + "': misspelled?")
                .withMessageContaining(" Schemes found: ")
                .withMessageContainingAll(
                        "memory, redis, redis-cluster, redis-sentinel, rediss, rediss-cluster, rediss-sentinel",
                        "valkey, valkeys")
                .satisfies(e -> assertIsNotShown("secret", e));
    }

    @ParameterizedTest
    @ValueSource(strings = {"consul://:secret@h", "consul://u:secret@h", "postgresql://h"})
    void aStoreThatIsNotSupportedIsCalledSo(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect(uri))
                .withMessageContaining("' is not supported yet. Schemes found: ")
                .satisfies(e -> assertIsNotShown("secret", e));
    }

    @Test
    void aDatabaseThatIsNotSupportedDoesNotNameTheArtifact() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("jdbc:db2://host/locks:password=secret;"))
                .withMessageContaining(
                        "the database of this jdbc: URL is not supported; PostgreSQL, MySQL, MariaDB and H2 are.")
                .satisfies(e -> assertIsNotShown("secret", e));
    }

    @Test
    void nullIsRefusedByItsName() {
        assertThatNullPointerException()
                .isThrownBy(() -> Holdfast.builder().uri(null))
                .withMessage("the uri is null");
        try (Holdfast client = Holdfast.connect("memory:")) {
            assertThatNullPointerException().isThrownBy(() -> client.lock(null)).withMessage("the lock name is null");
        }
    }

    @Test
    void aSchemeWhoseStoreIsMissingNamesTheArtifact() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holdfast.connect("jdbc:h2:mem:locks;PASSWORD=secret"))
                .withMessageContaining(
                        "no store for the scheme 'jdbc': add io.holdfast:holdfast-jdbc to the class path")
                .satisfies(e -> assertIsNotShown("secret", e));
    }

    @Test
    void noUriIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.builder().build())
                .withMessageContaining("call uri(\"redis://localhost:6379\") before build()");
    }

    // ---- the login

    private static void assertRefused(String uri, String text) {
        assertThatThrownBy(() -> builder(uri).build().close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageStartingWith("Redis at redis://127.0.0.1:")
                .hasMessageContainingAll("cannot connect", text)
                .satisfies(e -> assertIsNotShown("secret", e));
        try (Holdfast lazy = builder(uri).lazy().build()) {
            for (ThrowingCallable call : new ThrowingCallable[] {
                () -> lazy.lock("n").lock(),
                () -> lazy.lock("n").tryLock(),
                () -> lazy.lock("n").tryLock(Duration.ofSeconds(20)),
                () -> lazy.lock("n").holder()
            }) {
                assertThatThrownBy(call)
                        .isInstanceOf(StoreRefusedException.class)
                        .hasMessageContainingAll("lock 'n'", text)
                        .satisfies(e -> assertIsNotShown("secret", e));
            }
            assertThat(lazy.toString()).contains("127.0.0.1").doesNotContain("secret");
        }
        assertNoThreadIsLeft();
    }

    private static void assertNoThreadIsLeft() {
        Await.until(
                "the threads are gone",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("holdfast-bad-uri")));
    }

    @Test
    void aWrongLoginIsRefusedWithoutShowingIt() {
        try (RedisServer server = RedisServer.start("--requirepass", "right")) {
            String host = "127.0.0.1:" + server.port();
            assertRefused("redis://:secret@" + host, "it does not accept user and password; check them in the URI");
            assertRefused("redis://somebody:secret@" + host, "it does not accept user and password");
            assertRefused("redis://somebody:right@" + host, "it does not accept user and password");
            assertRefused("redis://" + host, "it requires a password; add it to the URI: redis://:PASSWORD@host");
            try (Holdfast client = builder("redis://:right@" + host).build()) {
                assertThat(client.lock("n").tryLock()).isTrue();
                assertThat(client.toString()).contains(host).doesNotContain("right");
                client.lock("n").unlock();
            }
        }
    }

    // ---- the host

    private static AbstractThrowableAssert<?, ? extends Throwable> assertUnreachable(String uri, Duration limit) {
        AbstractThrowableAssert<?, ? extends Throwable> thrown = assertThatThrownBy(
                () -> builder(uri).connectTimeout(limit).build().close());
        thrown.isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("Redis at redis://")
                .hasMessageContaining("cannot connect")
                .satisfies(e -> assertThat(((HoldfastException) e).name()).isEmpty());
        assertNoThreadIsLeft();
        return thrown;
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertUnreachable(String uri) {
        return assertUnreachable(uri, Duration.ofSeconds(20));
    }

    private static String goneServer() {
        Servers gone = Servers.start();
        gone.close();
        return gone.uri();
    }

    @Test
    void aPortWhereNothingListens() {
        assertUnreachable(goneServer())
                .hasMessageContaining("nothing listens there; check host and port, and that the server runs");
    }

    @Test
    void aHostThatIsNot() {
        assertUnreachable("redis://no-such-host.invalid")
                .hasMessageContaining("redis://no-such-host.invalid:6379")
                .hasMessageContaining("there is no such host; check the name, and the DNS");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "ERROR\r\n", "\u0015\u0003", ""})
    void aPortWhereSomethingElseListens(String greeting) throws IOException {
        try (ServerSocket stranger = listen()) {
            Thread answers = new Thread(() -> answer(stranger, () -> greeting));
            answers.start();
            assertUnreachable("redis://127.0.0.1:" + stranger.getLocalPort())
                    .hasMessageContaining("it does not answer like Redis; check host and port");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-ERR unknown command `HELLO`, with args beginning with: `3`,|use Redis 6 or later",
                "-ERR unknown command 'HELLO'|use Redis 6 or later",
                "-NOPROTO unsupported protocol version|use Redis 6 or later",
                "-DENIED Redis is running in protected mode|it is in protected mode"
            })
    void aServerThatCannotBeUsedUntilSomebodyRepairsItRefuses(String answer, String text) throws IOException {
        try (ServerSocket old = listen()) {
            Thread answers = new Thread(() -> answer(old, () -> answer + "\r\n"));
            answers.start();
            assertThatThrownBy(() -> builder("redis://127.0.0.1:" + old.getLocalPort())
                            .connectTimeout(Duration.ofSeconds(20))
                            .build()
                            .close())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining(text);
        }
        assertNoThreadIsLeft();
    }

    /** The driver may lose a refusal: it closes the connection, and reports the end of the connection in place of the answer. */
    @Test
    void asksAgainIfAConnectionIsClosedWithoutAnAnswer() throws IOException {
        AtomicInteger attempts = new AtomicInteger();
        try (ServerSocket server = listen()) {
            Thread answers = new Thread(() ->
                    answer(server, () -> attempts.incrementAndGet() == 1 ? "" : "-WRONGPASS invalid password\r\n"));
            answers.start();
            assertThatThrownBy(() -> builder("redis://:secret@127.0.0.1:" + server.getLocalPort())
                            .connectTimeout(Duration.ofSeconds(20))
                            .build()
                            .close())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("it does not accept user and password");
        }
        assertNoThreadIsLeft();
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Until the server is closed. */
    private static void answer(ServerSocket server, Supplier<String> greeting) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    assertThat(client.getInputStream().read()).isNotNegative();
                    client.getOutputStream().write(greeting.get().getBytes(StandardCharsets.ISO_8859_1));
                    client.getOutputStream().flush();
                    client.shutdownOutput();
                    client.getInputStream().readAllBytes();
                } catch (IOException e) {
                    if (server.isClosed()) {
                        return;
                    }
                }
            }
        } catch (AssertionError e) {
            throw new IllegalStateException("connected without a word", e);
        }
    }

    @Test
    void aPortWhereNobodyAnswers() throws IOException {
        try (ServerSocket silent = listen()) {
            assertUnreachable("redis://127.0.0.1:" + silent.getLocalPort(), Duration.ofSeconds(1))
                    .hasMessageContaining("no answer in time; the server hangs, a firewall drops the packets");
        }
    }

    @Test
    void aLazyClientTellsItAtTheFirstCall() {
        for (String uri : new String[] {goneServer(), "redis://no-such-host.invalid"}) {
            try (Holdfast lazy = builder(uri).lazy().build()) {
                for (ThrowingCallable call : new ThrowingCallable[] {
                    () -> lazy.lock("n").lock(),
                    () -> lazy.lock("n").tryLock(Duration.ofSeconds(20)),
                    () -> lazy.lock("n").holder(),
                    () -> lazy.lock("n").forceUnlock()
                }) {
                    assertThatThrownBy(call)
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContainingAll("lock 'n'", "Redis at " + uri);
                }
            }
        }
    }
}
