package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A driver that connects again by itself, and sends once more what had no answer. */
class LostAnswerTest {

    private final Databases database = Databases.memory();
    private final Server server = Server.createTcpServer("-tcpPort", "0").start();
    private final Wire wire = new Wire(server.getPort());
    private final StoreClient client = Databases.client("jdbc:h2:tcp://127.0.0.1:" + wire.port() + "/"
            + database.url().substring("jdbc:h2:".length()) + ";AUTO_RECONNECT=TRUE");

    LostAnswerTest() throws SQLException {}

    @BeforeEach
    void learnTheTime() {
        client.granted("lock", 1);
        client.release("lock", 1);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        wire.close();
        server.stop();
        database.close();
    }

    private Optional<String> holder() {
        List<Object> tenure = database.column("SELECT tenure FROM holdfast_locks WHERE name = STRINGTOUTF8('Llock')");
        return Optional.ofNullable((String) tenure.get(0));
    }

    private record Outcome<T>(Optional<T> reply, Optional<Effect> failure, boolean cut) {}

    private <T> Outcome<T> cutAfter(int answers, Supplier<T> request) {
        wire.cutAfter(answers);
        try {
            return new Outcome<>(Optional.of(request.get()), Optional.empty(), wire.mend());
        } catch (StoreException e) {
            return new Outcome<>(Optional.empty(), Optional.of(e.effect()), wire.mend());
        }
    }

    /** Each answer is lost once. The pool, which opens a connection in place of a cut one, may take the cut of another answer. */
    @Test
    void aReleaseIsAppliedOnceAndIsNotAppliedIfItSaysSo() {
        long first = 10;
        for (int unknown = 0; unknown == 0; first += 100) {
            assertThat(first)
                    .as("times that the answer to a commit was not lost")
                    .isLessThan(2_000);
            unknown = releasesWithoutAnAnswer(first);
        }
    }

    private int releasesWithoutAnAnswer(long first) {
        int unknown = 0;
        for (int i = 0; ; i++) {
            long tenure = first + i;
            client.granted("lock", tenure);
            Outcome<Release.Reply> outcome = cutAfter(i, () -> client.release("lock", tenure));
            outcome.reply().ifPresent(reply -> assertThat(reply.held()).isTrue());
            if (outcome.failure().equals(Optional.of(Effect.NOT_APPLIED))) {
                assertThat(holder()).hasValue(client.tenure(tenure).toString());
            } else if (outcome.failure().isPresent()) {
                unknown++;
            }
            client.release("lock", tenure);
            assertThat(holder()).isEmpty();
            if (!outcome.cut()) {
                assertThat(outcome.reply()).isPresent();
                return unknown;
            }
        }
    }

    @Test
    void anAcquireThatSaysItIsNotAppliedLeavesNothing() {
        for (int i = 0; ; i++) {
            long tenure = 10L + i;
            Outcome<Acquire.Reply> outcome = cutAfter(i, () -> client.acquire("lock", tenure));
            outcome.reply().ifPresent(reply -> assertThat(reply).isInstanceOf(Acquire.Granted.class));
            if (outcome.failure().equals(Optional.of(Effect.NOT_APPLIED))) {
                assertThat(holder()).isEmpty();
            }
            client.release("lock", tenure);
            assertThat(holder()).isEmpty();
            if (!outcome.cut()) {
                break;
            }
        }
    }
}
