package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is sent, and how often. */
@Tag("everywhere")
class CommandsTest {

    private static final Duration NO_BEAT = Duration.ofMinutes(10);
    private static final Duration PATIENT = Duration.ofMinutes(1);

    private final Servers servers = Servers.start();
    private final TestClient client = TestClient.open(servers.uri(), TestClient.timeouts(NO_BEAT, PATIENT));

    @AfterEach
    void close() {
        client.close();
        servers.close();
    }

    @Test
    void anUncontendedPairIsTwoCommandsAndNoMessage() {
        client.granted("lock", 1);
        client.release("lock", 1);
        client.arrived();
        long messages = servers.calls("publish");
        long scripts = servers.calls("evalsha");
        long others = otherCommands();
        client.granted("lock", 2);
        client.release("lock", 2);
        assertThat(servers.calls("evalsha") - scripts).isEqualTo(2);
        assertThat(servers.calls("publish")).isEqualTo(messages);
        assertThat(otherCommands()).isEqualTo(others);
    }

    /** Those that a client may send beside its scripts; what scripts call is counted by the server, too. */
    private long otherCommands() {
        return List.of("eval", "script|load", "ping", "mget", "subscribe", "client|setname").stream()
                .mapToLong(servers::calls)
                .sum();
    }

    @Test
    void aWaitIsToldByOneMessageAndSoIsAHandOver() {
        try (TestClient second = TestClient.open(servers.uri(), TestClient.timeouts(NO_BEAT, PATIENT))) {
            client.granted("lock", 1);
            client.arrived();
            second.arrived();
            long messages = servers.calls("publish");
            second.queued("lock", 1);
            second.queued("lock", 1);
            client.release("lock", 1);
            assertThat(servers.calls("publish") - messages).isEqualTo(2);
        }
    }

    @Test
    void aServerThatForgotTheScriptsIsToldThemAnew() {
        client.granted("lock", 1);
        servers.redis.scriptFlush();
        assertThat(client.release("lock", 1).held()).isTrue();
        assertThat(client.granted("lock", 2).foreignWaiters()).isZero();
        assertThat(Await.reply(client.store().inspect("lock")).holder()).isPresent();
    }

    @Test
    void scriptsAreForgottenAtAnyTime() {
        List<CompletionStage<Acquire.Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            replies.add(client.start("lock" + i, i));
            if (i % 50 == 0) {
                servers.redis.scriptFlush();
            }
        }
        assertThat(replies).allMatch(reply -> Await.reply(reply) instanceof Acquire.Granted);
        assertThat(Servers.keys(servers.redis, "lock*")).hasSize(2_000);
    }

    @Test
    void theConnectionIsNamed() {
        assertThat(servers.redis.clientList().lines().filter(line -> line.contains(" name=holdfast-test ")))
                .hasSize(1);
    }

    @Test
    void theRecordOfTheClientIsKeptWhileItIsUsed() {
        String record = "hf:client:" + client.id();
        assertThat(servers.redis.exists(record)).isZero();
        client.granted("lock", 1);
        assertThat(servers.redis.get(record)).isEqualTo("test\nhere\n42");
        assertThat(servers.redis.pttl(record)).isBetween(25_000L, 30_000L);
        client.close();
        assertThat(servers.redis.exists(record)).isZero();
    }

    @Test
    void theRecordLastsAsLongAsTheLongestLease() {
        client.acquire(Acquire.of("lock", client.tenure(1), Duration.ofHours(1)));
        assertThat(servers.redis.pttl("hf:client:" + client.id())).isBetween(3_590_000L, 3_600_000L);
    }
}
