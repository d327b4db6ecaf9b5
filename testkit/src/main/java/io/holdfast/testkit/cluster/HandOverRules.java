package io.holdfast.testkit.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The sessions that clients ask for while many others wait for a name, at a store whose servers keep sessions. Those of the holders
 * and of the first position are enough for a decision, so their number does not depend on that of the waiters.
 *
 * <p>The clients have no engine, so nobody polls, and each question can be counted.
 */
public abstract class HandOverRules {

    /** The numbers of waiters. A store gives a position to each of them. */
    private static final int[] SIZES = {2, 10};

    /** No request is repeated on a busy machine, and what a client has read is not too old for its next write. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final StoreProvider provider;
    private final int server;
    private final IntFunction<String> uri;
    private final Pattern question;

    /**
     * Creates the rules for the stores of a provider.
     *
     * @param server the port of the server
     * @param uri returns the URI of the store for a port that leads to the server
     * @param question matches each question for one session in what a client sends, of which each byte is a character
     */
    protected HandOverRules(StoreProvider provider, int server, IntFunction<String> uri, Pattern question) {
        this.provider = provider;
        this.server = server;
        this.uri = uri;
        this.question = question;
    }

    /** The former holder asks for none. The next one asks for the session of the former, and of the position behind itself. */
    @TestFactory
    Stream<DynamicTest> asksForTwoSessionsWhenTheNameIsHandedOver() {
        return crowds("handed-over", Crowd::checkHandOver);
    }

    /** It asks for the sessions of the holder and of the first position. */
    @TestFactory
    Stream<DynamicTest> asksForTwoSessionsWhenTheLastWaiterPolls() {
        return crowds("polled", Crowd::checkPoll);
    }

    private Stream<DynamicTest> crowds(String name, Consumer<Crowd> check) {
        return Stream.of(Queueing.BARGING, Queueing.FAIR)
                .flatMap(kind -> IntStream.of(SIZES)
                        .mapToObj(size -> DynamicTest.dynamicTest(kind + " " + size, () -> {
                            try (Crowd crowd = new Crowd(name + "-" + kind + "-" + size, kind)) {
                                crowd.gather(size);
                                check.accept(crowd);
                            }
                        })));
    }

    /** A client on a path of its own. */
    private final class Watched implements AutoCloseable {

        private final Wire wire = new Wire(server);
        private final StoreClient client =
                new StoreClient(provider, uri.apply(wire.port()), config -> config.withTimeouts(PATIENCE, PATIENCE));

        Watched() {
            wire.recordRequests();
        }

        /** Returns how often it has asked for a session since its requests are recorded. */
        long questions() {
            String sent = new String(wire.recordedRequests(), StandardCharsets.ISO_8859_1);
            return question.matcher(sent).results().count();
        }

        boolean received(Class<? extends Signal> kind) {
            return client.signals().stream().anyMatch(kind::isInstance);
        }

        @Override
        public void close() {
            client.close();
            wire.close();
        }
    }

    /** The holder of a name, and those who wait for it in their order. */
    private final class Crowd implements AutoCloseable {

        private final String name;
        private final Queueing kind;
        private final List<Watched> clients = new ArrayList<>();

        Crowd(String name, Queueing kind) {
            this.name = name;
            this.kind = kind;
        }

        /** Takes the name, and lets others wait for it, one after the other. What they ask is counted from then on. */
        void gather(int size) {
            // first, because a lease runs
            for (int i = 0; i <= size; i++) {
                clients.add(new Watched());
            }
            Watched holder = clients.get(0);
            holder.client.granted(name, 1);
            for (int i = 1; i <= size; i++) {
                long messages = i;
                waitFor(clients.get(i).client);
                Await.until("the holder reads the record after each message", () -> holder.questions() >= messages);
            }
            // when it is answered, the holder knows the last state of the record
            var unused = holder.client.refused(name, 2);
            clients.forEach(each -> each.wire.recordRequests());
        }

        private void waitFor(StoreClient waiter) {
            var unused = waiter.acquire(waiter.request(name, 1).queued(kind, 0));
        }

        void checkHandOver() {
            Watched next = clients.get(1);
            clients.get(0).client.release(name, 1);
            if (kind == Queueing.FAIR) {
                Await.until("the name is assigned", () -> next.received(Signal.Assigned.class));
                // it reads the record because of the message, and claims the name on what it has read
                Await.until("it has read the record", () -> next.questions() >= 2);
                var unused = next.client.renew(name, 1);
            } else {
                Await.until("the next one is woken", () -> next.received(Signal.Freed.class));
                next.client.granted(name, 1);
            }
            assertQuestions(1);
        }

        void checkPoll() {
            int last = clients.size() - 1;
            waitFor(clients.get(last).client);
            assertQuestions(last);
        }

        /** Asserts that one client has asked for two sessions, and the others for none. */
        private void assertQuestions(int asking) {
            List<Long> expected = new ArrayList<>(Collections.nCopies(clients.size(), 0L));
            expected.set(asking, 2L);
            assertEquals(
                    expected,
                    clients.stream().map(Watched::questions).toList(),
                    "questions of the holder and of each waiter");
        }

        @Override
        public void close() {
            clients.forEach(Watched::close);
        }
    }
}
