package io.holdfast.jdbc.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.jdbc.LoadedDrivers;
import io.holdfast.jdbc.sql.Message;
import io.holdfast.jdbc.sql.Messages;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.testkit.Await;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The thread that listens, with connections that fail or deliver nothing. */
@Timeout(180)
@ExtendWith(LoadedDrivers.class)
class ListenerTest {

    private static final Duration COMMAND = Duration.ofSeconds(2);

    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final StoreConfig config = StoreConfig.of("jdbc:test", LockReport.Client.unknown("me"), Platform.system())
            .withTimeouts(COMMAND, COMMAND)
            .withClient(LockReport.Client.unknown("me"), signals::add, name -> Optional.empty());
    private final Platform.Timer timer = Platform.system().timer("test-timer");
    private final Network network = new Network();
    private final AtomicInteger looks = new AtomicInteger();
    private final Looker looker = new Looker(config, timer, this::look);
    private final Listener listener = new Listener(config, timer, network, network, looker);

    private Map<RecordKey, Looker.Sight> look(List<RecordKey> keys) {
        looks.incrementAndGet();
        return Map.of();
    }

    @AfterEach
    void close() {
        listener.close();
        looker.close();
        timer.close();
        Await.until(
                "the thread has ended",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("holdfast-me-listen")));
    }

    /** Messages between clients, over connections that a test can spoil. */
    private static final class Network implements Messages, Sessions {

        private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final AtomicInteger opened = new AtomicInteger();
        private volatile boolean delivers = true;
        private volatile boolean refuses;
        private volatile boolean cut;
        private volatile boolean fails;
        private volatile boolean deaf;
        private final AtomicInteger aborted = new AtomicInteger();

        @Override
        public long listen(Connection connection, String clientId) {
            assertThat(clientId).isEqualTo("me");
            cut = false;
            return 1;
        }

        @Override
        public void unlisten(Connection connection, String clientId) throws SQLException {
            assertThat(clientId).isEqualTo("me");
            if (deaf) {
                throw new SQLException("canceled", "57014");
            }
        }

        @Override
        public List<String> receive(Connection connection, int millis) throws SQLException {
            try {
                String text = texts.poll(Math.min(millis, 20), TimeUnit.MILLISECONDS);
                if (fails) {
                    fails = false;
                    throw new StackOverflowError();
                }
                if (cut) {
                    throw new SQLException("cut");
                }
                return text == null ? List.of() : List.of(text);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void send(Connection connection, Message message) {
            if (delivers) {
                texts.add(message.text());
            }
        }

        @Override
        public <T> T run(String what, Work<T> work) {
            try (Connection connection = open(what)) {
                return work.on(connection);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public <T> Optional<T> write(String what, Connection connection, Write<T> statement) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Connection open(String what) {
            if (refuses) {
                throw rowLocked("refused");
            }
            opened.incrementAndGet();
            try {
                Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                return (Connection) Proxy.newProxyInstance(
                        Network.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("abort")) {
                                aborted.incrementAndGet();
                            }
                            return method.invoke(connection, arguments);
                        });
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public int callers() {
            return 1;
        }

        @Override
        public void onItsOwnThread(Runnable task, Duration limit) {
            task.run();
        }

        @Override
        public StoreException rowLocked(String what) {
            return new StoreException(StoreException.Effect.NOT_APPLIED, what);
        }

        @Override
        public String address() {
            return "a network";
        }

        @Override
        public void close() {}
    }

    private Signal next() throws InterruptedException {
        Signal signal = signals.poll(20, TimeUnit.SECONDS);
        assertThat(signal).as("a signal").isNotNull();
        return signal;
    }

    @Test
    void aMessageToOneselfBeginsTheHearing() throws Exception {
        listener.start();
        listener.start();
        assertThat(listener.awaitHearing(Duration.ofSeconds(10))).isTrue();
        network.texts.add("F lock");
        assertThat(next()).isEqualTo(new Signal.Freed("lock"));
        Await.reply(listener.confirm());
        assertThat(looks).hasValue(0);
    }

    @Test
    void aConnectionThatCannotStopListeningIsEnded() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        assertThat(network.aborted).hasValue(0);
        network.deaf = true;
        network.cut = true;
        assertThat(next()).as("when it is lost").isInstanceOf(Signal.Gap.class);
        assertThat(network.aborted).hasPositiveValue();
    }

    @Test
    void whereNothingIsDeliveredTheClientLooks() throws Exception {
        network.delivers = false;
        listener.use();
        assertThat(listener.awaitHearing(COMMAND.plusMillis(500))).isFalse();
        Await.reply(listener.confirm());
        assertThat(looks).hasPositiveValue();
        network.delivers = true;
        assertThat(listener.awaitHearing(Duration.ofSeconds(20))).isTrue();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
    }

    @Test
    void aLostConnectionIsAGapAndIsMadeAnew() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        network.refuses = true;
        network.cut = true;
        assertThat(next()).as("when it is lost").isInstanceOf(Signal.Gap.class);
        Await.reply(listener.confirm());
        assertThat(looks).hasPositiveValue();
        network.refuses = false;
        assertThat(next()).as("when it is back").isInstanceOf(Signal.Gap.class);
        network.texts.add("F lock");
        assertThat(next()).isEqualTo(new Signal.Freed("lock"));
    }

    /** A record in which this client waits. */
    private static LockRecord awaited() {
        Decider decider = new Decider(Limits.STANDARD);
        Moment moment = Moment.of(1_790_000_000_000_000L, 0);
        Duration lease = Duration.ofSeconds(30);
        LockRecord held = decider.acquire(
                        LockRecord.EMPTY, Acquire.of("lock", new TenureId("holder", 1), lease), moment)
                .record();
        Acquire request = Acquire.of("lock", new TenureId("me", 1), lease).queued(Acquire.Queueing.BARGING, 0);
        return decider.acquire(held, request, moment).record();
    }

    @Test
    void aClientThatWaitsLooksOnlyWhileItDoesNotHear() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        looker.left(new RecordKeys("").lock("lock"), 1, awaited());
        Thread.sleep(200);
        assertThat(looks).hasValue(0);
        network.refuses = true;
        network.cut = true;
        Await.until("it looks", () -> looks.get() > 0);
    }

    @Test
    void anErrorDoesNotEndTheHearingForGood() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        network.fails = true;
        assertThat(next()).as("when it fails").isInstanceOf(Signal.Gap.class);
        assertThat(next()).as("when it is back").isInstanceOf(Signal.Gap.class);
    }

    @Test
    void aProofEndsWithItsConnection() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        network.delivers = false;
        var proof = listener.confirm().toCompletableFuture();
        network.cut = true;
        assertThatThrownBy(proof::join).hasMessageContaining("the connection that listens was lost");
    }

    @Test
    void aProofIsLimited() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        network.delivers = false;
        assertThatThrownBy(() -> listener.confirm().toCompletableFuture().get(20, TimeUnit.SECONDS))
                .hasMessageContaining("a message to ourselves did not arrive");
    }

    @Test
    void theEndEndsProofs() throws Exception {
        listener.use();
        assertThat(next()).isInstanceOf(Signal.Gap.class);
        network.delivers = false;
        var proof = listener.confirm().toCompletableFuture();
        listener.close();
        assertThatThrownBy(() -> proof.get(20, TimeUnit.SECONDS)).isNotNull();
    }
}
