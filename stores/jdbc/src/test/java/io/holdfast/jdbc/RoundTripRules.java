package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The number of round trips of a request. The path to the server is cut after the expected number of answers. */
abstract class RoundTripRules {

    /** Few enough for their answer to arrive in one piece. */
    private static final int LOCKS = 4;

    private static final int WARM_UP = 10;

    abstract DatabaseServer server();

    private interface Check {
        void with(StoreClient client, Wire wire);
    }

    private void check(Check check) {
        String uri = server().uri();
        int port = Integer.parseInt(uri.replaceFirst(".*//[^:/]*:(\\d+)/.*", "$1"));
        try (Wire wire = new Wire(port);
                StoreClient client = Databases.client(
                        uri.replaceFirst(":" + port + "/", ":" + wire.port() + "/") + "&signals=look")) {
            for (int i = 0; i < WARM_UP; i++) {
                client.granted("warm", 1);
                assertThat(client.renew("warm", 1)).isInstanceOf(Renew.Renewed.class);
                assertThat(client.release("warm", 1).held()).isTrue();
            }
            check.with(client, wire);
        }
    }

    private static void assertAnswers(int answers, Wire wire, Runnable requests) {
        wire.cutAfter(answers);
        requests.run();
        assertThat(wire.mend()).as("more answers were needed").isFalse();
    }

    @Test
    void aPairIsTwo() {
        check((client, wire) -> assertAnswers(2, wire, () -> {
            client.granted("warm", 1);
            assertThat(client.release("warm", 1).held()).isTrue();
        }));
    }

    /** The holder learns of the waiter by its renewal, and tries no guarded statement then. */
    @Test
    void aReleaseToAWaiterIsTwo() {
        check((client, wire) -> {
            client.granted("busy", 1);
            try (StoreClient waiter = Databases.client(server().uri())) {
                Acquire.Reply reply = waiter.acquire(waiter.request("busy", 1).queued(Acquire.Queueing.BARGING, 0));
                assertThat(reply).isInstanceOf(Acquire.Refused.class);
                assertThat(client.renew("busy", 1)).isInstanceOf(Renew.Renewed.class);
                assertAnswers(
                        2,
                        wire,
                        () -> assertThat(client.release("busy", 1).held()).isTrue());
            }
        });
    }

    @Test
    void renewalsOfManyLocksAreOne() {
        check((client, wire) -> {
            IntStream.range(0, LOCKS).forEach(i -> client.granted("held" + i, i));
            List<Renew> batch = IntStream.range(0, LOCKS)
                    .mapToObj(i -> new Renew("held" + i, client.tenure(i), Duration.ofSeconds(30), 0))
                    .toList();
            // their statement is prepared
            assertThat(Await.reply(client.store().renew(batch))).hasSize(LOCKS);
            assertAnswers(
                    1,
                    wire,
                    () -> assertThat(Await.reply(client.store().renew(batch)))
                            .hasOnlyElementsOfType(Renew.Renewed.class));
            IntStream.range(0, LOCKS).forEach(i -> client.release("held" + i, i));
        });
    }
}
