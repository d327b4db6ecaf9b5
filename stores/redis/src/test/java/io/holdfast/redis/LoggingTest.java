package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.testkit.Await;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a client says to operators. */
class LoggingTest {

    private static final String PASSWORD = "never-to-be-logged";

    /** All printable characters. */
    private static final String NASTY = "s3cret-to"
            + IntStream.range(' ', 127).mapToObj(Character::toString).collect(Collectors.joining());

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Test
    void aClientTellsItsLifeAtInfoAndItsHoldsInDetailAndNeverItsPassword() {
        try (Servers servers = Servers.guarded(PASSWORD);
                LogLines log = watched()) {
            try (Holdfast client = client(servers.uri())) {
                DistributedLock lock = client.lock("lock");
                lock.lock();
                lock.unlock();
            }
            Await.threadsGone("holdfast-");
            assertThat(log.those(line -> true).stream().map(line -> line.level() + " " + line.text()))
                    .satisfiesExactlyInAnyOrder(
                            line -> assertThat(line)
                                    .matches("INFO client \\([-\\w]+\\): connected to Redis at redis://127.0.0.1:\\d+"),
                            line -> assertThat(line)
                                    .matches(
                                            "FINE client \\([-\\w]+\\): lock 'lock' was acquired by thread \\S+ with token \\d+"),
                            line -> assertThat(line)
                                    .matches(
                                            "FINE client \\([-\\w]+\\): lock 'lock' was released by thread \\S+ with token \\d+"),
                            line -> assertThat(line).matches("INFO client \\([-\\w]+\\): closed"));
        }
    }

    @Test
    void aServerThatCannotBeUsedDoesNotBringThePasswordIntoTheLog() {
        try (Servers servers = Servers.guarded("another-password");
                LogLines log =
                        watched().foresee(ForeseenLines.TEST_CONNECTION).foresee(ForeseenLines.UNCONFIRMED_CLOSE)) {
            assertThatThrownBy(() -> client(uri(servers)).close()).isInstanceOf(HoldfastException.class);
            servers.redis.configSet("requirepass", NASTY);
            try (Holdfast client = client(uri(servers).replace(PASSWORD, encoded(NASTY)))) {
                servers.server.kill();
                assertThatThrownBy(() -> client.lock("lock").tryLock()).isInstanceOf(HoldfastException.class);
            }
            Await.threadsGone("holdfast-");
            assertThat(log.those(line -> true)).isNotEmpty().noneMatch(line -> line.shows(NASTY.substring(0, 9)));
            assertThat(log.those(line -> line.shows(encoded(NASTY).substring(0, 9))))
                    .isEmpty();
        }
    }

    @Test
    void anOutageIsTwoLinesHoweverManyLocksAreHeld() {
        try (Servers servers = Servers.guarded(PASSWORD);
                LogLines log = new LogLines(PASSWORD).foresee(ForeseenLines.ALWAYS);
                Holdfast client = client(servers.uri(), Duration.ofSeconds(30))) {
            List<Lease> held = leases(client, 20);
            servers.cut();
            Await.until("it is back", () -> !warnings(log, "is connected again").isEmpty());
            assertThat(warnings(log, ""))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .matches(
                                            "client \\(.*\\): the connection to Redis at redis://127.0.0.1:\\d+ was lost; this"
                                                    + " client holds 20 locks and permits \\(('lock\\d+', ){4}'lock\\d+' first\\), which stay"
                                                    + " valid until their deadlines; it reconnects"),
                            line -> assertThat(line)
                                    .matches(
                                            "client \\(.*\\): Redis at redis://127.0.0.1:\\d+ is connected again at"
                                                    + " 127.0.0.1:\\d+ after \\d+\\.\\d s; locks and permits verified: 20, lost: 0"));
            held.forEach(Lease::close);
        }
    }

    @Test
    void whatHappensToManyLocksAtOnceIsALineWithTheFirstNames() {
        String[] names = IntStream.range(0, 30).mapToObj(i -> "lock" + i).toArray(String[]::new);
        try (Servers servers = Servers.guarded(PASSWORD);
                LogLines log = new LogLines(PASSWORD, names)
                        .foresee(ForeseenLines.ALWAYS)
                        .foresee(ForeseenLines.SILENT_SERVER)
                        .foresee(ForeseenLines.LOSS)
                        .foresee(ForeseenLines.TEST_CONNECTION)) {
            try (Holdfast client = client(servers.uri(), Duration.ofSeconds(6))) {
                // the first request loads classes and scripts, and the leases are to end at about the same time
                leases(client, 1).forEach(Lease::close);
                List<Lease> held = leases(client, 30);
                servers.server.kill();
                Await.until("all are lost", () -> client.stats().lost() == held.size());
            }
            Await.threadsGone("holdfast-");
            // those that end in the moment after the first line was written make another one
            assertThat(warnings(log, "lost by")).hasSizeBetween(1, 2);
            assertThat(warnings(log, "lost by").get(0))
                    .matches(
                            "client \\(.*\\): (\\d+ locks were lost, among them 'lock\\d+'.*; the first: )lock 'lock\\d+' was lost by"
                                    + " lease .*; another owner may hold the lock: fence all writes with the token");
            assertThat(warnings(log, "renewed in time")).hasSizeBetween(1, 2);
            assertThat(warnings(log, "the connection to")).hasSize(1);
        }
    }

    @Test
    void aSemaphoreIsNotCalledALock() {
        try (Servers servers = Servers.start();
                LogLines log = new LogLines(PASSWORD, "jobs", "lock")
                        .inDetail()
                        .foresee(ForeseenLines.ALWAYS)
                        .foresee(ForeseenLines.LOSS)) {
            try (Holdfast client = client(servers.uri())) {
                client.semaphore("jobs").setPermits(1);
                Permit permit = client.semaphore("jobs").tryAcquire().orElseThrow();
                servers.redis.flushall();
                assertThatThrownBy(permit::close).isInstanceOf(LeaseLostException.class);
            }
            Await.threadsGone("holdfast-");
            assertThat(warnings(log, ""))
                    .singleElement()
                    .asString()
                    .matches("client \\(.*\\): a permit of semaphore 'jobs' was lost by lease \\S+ with token \\d+: .*"
                            + "; another owner may hold the permit: fence all writes with the token");
            assertThat(log.those(line -> line.level().equals(Level.FINE)))
                    .isNotEmpty()
                    .allMatch(line -> line.text().contains(": a permit of semaphore 'jobs' was "));
        }
    }

    @Test
    void aUserWhoMayNotListenIsToldSoOnceWithoutAStack() {
        try (Servers servers = Servers.start();
                LogLines log = new LogLines(PASSWORD)) {
            String uri = servers.allow("app", "~*", "+@all", "resetchannels");
            try (Holdfast client = client(uri, Duration.ofSeconds(30))) {
                for (int i = 0; i < 2; i++) {
                    int lines = i;
                    servers.cut();
                    Await.until(
                            "it is back",
                            () -> warnings(log, "is connected again").size() > lines);
                }
                assertThat(client.lock("lock").tryLock()).isTrue();
                client.lock("lock").unlock();
            }
            Await.threadsGone("holdfast-");
            List<LogLines.Line> told = log.those(line -> line.text().contains("receives no messages"));
            assertThat(told).singleElement().satisfies(line -> {
                assertThat(line.text())
                        .contains("the user lacks a right", "a waiter learns of a release only at its next poll");
                assertThat(line.thrown()).isEmpty();
            });
            log.foresee(ForeseenLines.ALWAYS)
                    .foresee(List.of(LogLines.Foreseen.warning(
                            "io.holdfast.redis.script.Session",
                            "Client .* receives no messages: .*",
                            "it is asserted here")));
        }
    }

    @Test
    void keepsANameOnItsLine() throws InterruptedException {
        String forging = "cart/7\r\n2026-11-27 INFO auth - 'admin' logged in\u001b[2K";
        String shown = "cart/7\\u000d\\u000a2026-11-27 INFO auth - 'admin' logged in\\u001b[2K";
        try (Servers servers = Servers.start();
                LogLines log = new LogLines(PASSWORD, shown)
                        .inDetail()
                        .foresee(ForeseenLines.ALWAYS)
                        .foresee(List.of(LogLines.Foreseen.warning(
                                "io.holdfast",
                                "client .*: lock 'cart/7[^\\r\\n]* was lost by .*",
                                "it is asserted here")))) {
            try (Holdfast client = client(servers.uri());
                    Holdfast admin = client(servers.uri())) {
                Lease lease = client.lock(forging).acquire();
                assertThat(admin.lock(forging).forceUnlock()).isTrue();
                assertThatThrownBy(lease::close).hasMessageContaining(shown).isInstanceOf(LeaseLostException.class);
                servers.cut();
                client.lock(forging).acquire().close();
            }
            Await.threadsGone("holdfast-");
            assertThat(log.those(line -> line.names(shown))).hasSizeGreaterThan(2);
            assertThat(log.those(line -> line.text().matches("(?s).*[\\r\\n\u001b].*")))
                    .isEmpty();
        }
    }

    private static List<Lease> leases(Holdfast client, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> client.lock("lock" + i).tryAcquire().orElseThrow())
                .toList();
    }

    private static List<String> warnings(LogLines log, String text) {
        return log
                .those(line -> line.level().equals(Level.WARNING)
                        && line.logger().equals("io.holdfast")
                        && line.text().contains(text))
                .stream()
                .map(LogLines.Line::text)
                .toList();
    }

    private static String uri(Servers servers) {
        return "redis://:" + PASSWORD + "@127.0.0.1:" + servers.server.port();
    }

    private static LogLines watched() {
        return new LogLines(PASSWORD, "lock").inDetail().foresee(ForeseenLines.ALWAYS);
    }

    private static Holdfast client(String uri) {
        return client(uri, Duration.ofSeconds(30));
    }

    private static Holdfast client(String uri, Duration lease) {
        return Holdfast.builder()
                .uri(uri)
                .name("client")
                .lease(lease)
                .commandTimeout(Duration.ofSeconds(2))
                .build();
    }
}
