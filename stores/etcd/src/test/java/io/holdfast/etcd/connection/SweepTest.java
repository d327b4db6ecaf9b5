package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.etcd.EtcdStoreProvider;
import io.holdfast.etcd.TestServer;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("etcd")
class SweepTest {

    private static final String RECORDS = "/sweep/holdfast/r/".substring(1);

    /** The time that has passed beyond the real one. */
    private final AtomicLong later = new AtomicLong();

    private final Platform platform = platform(later, 1);
    private final Platform.Timer timer = Platform.system().timer("sweep");
    private final StoreClient client = open();
    private EtcdSessions sessions;
    private Sweep sweep;

    private static StoreClient open() {
        return new StoreClient(new EtcdStoreProvider(), TestServer.uri("/sweep"), config -> config);
    }

    /** A platform whose clocks are set forward, or whose wall clock shows 1970. */
    private static Platform platform(AtomicLong later, int wall) {
        return (Platform) Proxy.newProxyInstance(
                SweepTest.class.getClassLoader(), new Class<?>[] {Platform.class}, (proxy, method, arguments) -> {
                    Object value = method.invoke(Platform.system(), arguments);
                    return switch (method.getName()) {
                        case "nanoTime" -> (Long) value + later.get();
                        case "wallMillis" -> wall * ((Long) value + later.get() / 1_000_000);
                        default -> value;
                    };
                });
    }

    @BeforeEach
    void connect() {
        StoreConfig config = client.config();
        Settings settings = new Settings(
                java.util.List.of(TestServer.uri("").replaceAll("etcd://(.*)\\?.*", "$1")),
                Optional.empty(),
                Optional.empty(),
                "sweep/holdfast/",
                Duration.ofSeconds(30));
        sessions = new EtcdSessions(config, settings, timer);
        sessions.start((signal, before) -> {});
        sweep = new Sweep(platform, timer, new Keys(settings.root()), Optional::empty);
    }

    @AfterEach
    void close() {
        Await.reply(sessions.close());
        client.close();
        timer.close();
    }

    private void pass() {
        Await.reply(sweep.pass(Await.reply(sessions.present())));
        // the end of the records, after which it begins anew
        Await.reply(sweep.pass(Await.reply(sessions.present())));
    }

    private void passLater(Duration time) {
        pass();
        later.addAndGet(time.toNanos());
        pass();
    }

    private static boolean exists(String name) {
        return !TestServer.keys(RECORDS + name).isEmpty();
    }

    @Test
    void aRecordThatIsUnusedForLongIsDeletedAndTokensRise() {
        Acquire.Granted before = client.granted("unused", 1);
        client.release("unused", 1);
        passLater(Sweep.PAUSE.dividedBy(2));
        assertThat(exists("lunused")).isTrue();
        passLater(Sweep.PAUSE.dividedBy(2));
        assertThat(exists("lunused")).isFalse();
        try (StoreClient late = new StoreClient(
                new EtcdStoreProvider(),
                TestServer.uri("/sweep"),
                config -> config.withPlatform(platform(new AtomicLong(), 0)))) {
            Acquire.Granted after = (Acquire.Granted) late.acquire("unused", 1);
            assertThat(after.tokens().first()).isGreaterThan(before.tokens().last());
        }
    }

    /** It would create the record with a token below the floor. */
    @Test
    void aClientThatHasReadBeforeTheDeletionReadsAgain() {
        Acquire.Granted before = client.granted("raced", 1);
        client.release("raced", 1);
        // a client that knows that there is no record, and whose clock is far behind
        try (StoreClient late = new StoreClient(
                new EtcdStoreProvider(),
                TestServer.uri("/sweep"),
                config -> config.withPlatform(platform(new AtomicLong(), 0)))) {
            // its first request learns the time
            late.acquire("first", 1);
            assertThat(Await.reply(late.store().inspect("new")).holder()).isEmpty();
            passLater(Sweep.PAUSE);
            Acquire.Granted after = (Acquire.Granted) late.acquire("new", 1);
            assertThat(after.tokens().first()).isGreaterThan(before.tokens().last());
        }
    }

    @Test
    void aRecordThatWasUsedMeanwhileStays() {
        client.granted("used", 1);
        client.release("used", 1);
        pass();
        client.granted("used", 2);
        client.release("used", 2);
        later.addAndGet(Sweep.PAUSE.toNanos());
        pass();
        assertThat(exists("lused")).isTrue();
    }

    @Test
    void aRecordThatIsHeldOrCannotBeReadStays() {
        client.granted("held", 1);
        TestServer.put(RECORDS + "lforeign", "another program");
        passLater(Sweep.PAUSE);
        assertThat(exists("lheld")).isTrue();
        assertThat(exists("lforeign")).isTrue();
    }

    @Test
    void aRecordOfADeadClientIsDeleted() {
        StoreClient dead = open();
        dead.acquire(dead.request("left", 1).withLease(Duration.ofSeconds(1)));
        dead.close();
        passLater(Sweep.PAUSE);
        assertThat(exists("lleft")).isFalse();
    }
}
