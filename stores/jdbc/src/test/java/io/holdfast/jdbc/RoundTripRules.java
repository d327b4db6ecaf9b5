package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The number of round trips of a request. The path to the server is cut after the expected number of answers. */
abstract class RoundTripRules {

    /** Few enough for their answer to arrive in one piece. */
    private static final int LOCKS = 4;

    private static final int WARM_UP = 10;
    private static final int ATTEMPTS = 5;

    abstract DatabaseServer server();

    private interface Check {
        void with(StoreClient client, Wire wire);
    }

    private void check(Check check) {
        try (Wire wire = new Wire(server().port());
                StoreClient client = Databases.client(server().uri(wire.port()) + "&signals=look")) {
            for (int i = 0; i < WARM_UP; i++) {
                client.granted("warm", 1);
                assertThat(client.renew("warm", 1)).isInstanceOf(Renew.Renewed.class);
                assertThat(client.release("warm", 1).held()).isTrue();
            }
            check.with(client, wire);
        }
    }

    /** Tries several times, because a request may use a connection of the pool on which its statements are not prepared yet. */
    private static void assertAnswers(int answers, Wire wire, Runnable requests) {
        boolean more = true;
        for (int attempt = 0; attempt < ATTEMPTS && more; attempt++) {
            wire.cutAfter(answers);
            try {
                requests.run();
            } catch (StoreException e) {
                // the connection was cut before a further answer
            } finally {
                more = wire.mend();
            }
        }
        assertThat(more).as("more answers were needed").isFalse();
    }

    @Test
    void aPairIsTwo() {
        check((client, wire) -> assertAnswers(2, wire, () -> {
            client.granted("warm", 1);
            assertThat(client.release("warm", 1).held()).isTrue();
        }));
    }

    /** Readers and permits are in the text of their rows. */
    @Test
    void renewalsOfManyReadersAreTwo() {
        check((client, wire) -> {
            List<Renew> batch = new ArrayList<>();
            for (int i = 0; i < LOCKS; i++) {
                Acquire request = client.request("read" + i, i).withShare(Share.READ);
                assertThat(client.acquire(request)).isInstanceOf(Acquire.Granted.class);
                batch.add(new Renew("read" + i, client.tenure(i), Share.Mode.READ, Duration.ofSeconds(30), 0));
            }
            // their statements are prepared
            assertThat(client.renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
            assertAnswers(2, wire, () -> assertThat(client.renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class));
            batch.forEach(each -> assertThat(Await.reply(client.store()
                                    .release(Release.of(each.name(), each.tenure())
                                            .withMode(Share.Mode.READ)))
                            .held())
                    .isTrue());
        });
    }

    /** The holder learns of the waiter by its renewal, and tries no guarded statement then. */
    @Test
    void aReleaseToAWaiterIsTwo() {
        check((client, wire) -> {
            try (StoreClient waiter = Databases.client(server().uri())) {
                // its statements are prepared
                hold("prepared", client, waiter);
                assertThat(client.release("prepared", 1).held()).isTrue();
                List<String> names =
                        IntStream.range(0, ATTEMPTS).mapToObj(i -> "busy" + i).toList();
                names.forEach(each -> hold(each, client, waiter));
                Iterator<String> next = names.iterator();
                assertAnswers(
                        2,
                        wire,
                        () -> assertThat(client.release(next.next(), 1).held()).isTrue());
            }
        });
    }

    private static void hold(String name, StoreClient client, StoreClient waiter) {
        client.granted(name, 1);
        Acquire.Reply reply = waiter.acquire(waiter.request(name, 1).queued(Acquire.Queueing.BARGING, 0));
        assertThat(reply).isInstanceOf(Acquire.Refused.class);
        assertThat(client.renew(name, 1)).isInstanceOf(Renew.Renewed.class);
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
