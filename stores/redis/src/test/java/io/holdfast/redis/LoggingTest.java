package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a client says to operators. */
@Tag("once")
class LoggingTest {

    private static final String PASSWORD = "never-to-be-logged";

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
                                    .matches("FINE client \\([-\\w]+\\): Granted\\[lockName=lock, token=\\d+, .*"),
                            line -> assertThat(line)
                                    .matches("FINE client \\([-\\w]+\\): Released\\[lockName=lock, token=\\d+, .*"),
                            line -> assertThat(line).matches("INFO client \\([-\\w]+\\): closed"));
        }
    }

    @Test
    void aServerThatCannotBeUsedDoesNotBringThePasswordIntoTheLog() {
        try (Servers servers = Servers.guarded("another-password");
                LogLines log = watched().foresee(ForeseenLines.TEST_CONNECTION)) {
            assertThatThrownBy(() -> client(uri(servers)).close()).isInstanceOf(HoldfastException.class);
            servers.redis.configSet("requirepass", PASSWORD);
            try (Holdfast client = client(uri(servers))) {
                servers.server.kill();
                assertThatThrownBy(() -> client.lock("lock").tryLock()).isInstanceOf(HoldfastException.class);
            }
            Await.threadsGone("holdfast-");
            assertThat(log.those(line -> true)).isNotEmpty();
        }
    }

    private static String uri(Servers servers) {
        return "redis://:" + PASSWORD + "@127.0.0.1:" + servers.server.port();
    }

    private static LogLines watched() {
        return new LogLines(PASSWORD, "lock").inDetail().foresee(ForeseenLines.ALWAYS);
    }

    private static Holdfast client(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .name("client")
                .lease(Duration.ofSeconds(2))
                .commandTimeout(Duration.ofMillis(500))
                .build();
    }
}
