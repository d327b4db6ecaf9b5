package io.holdfast.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.TokenBlock;
import io.holdfast.support.TokenUnits;
import io.holdfast.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TokensTest {

    private final Servers servers = Servers.start();
    private final TestClient client = TestClient.open(servers.uri());
    private final String name = "lock";
    private long number;

    @BeforeEach
    void learn() {
        client.granted(name, ++number);
        client.release(name, number);
    }

    @AfterEach
    void close() {
        client.close();
        servers.close();
    }

    @Test
    void riseOverShortTenuresAndDataLoss() {
        long last = 0;
        for (int i = 0; i < 600; i++) {
            if (i % 100 == 99) {
                servers.redis.flushall();
            }
            Acquire.Granted granted = client.granted(name, ++number);
            assertThat(granted.tokens().first()).isGreaterThan(last);
            last = granted.tokens().last();
            client.release(name, number);
        }
    }

    @Tag("ci")
    @Test
    void riseOverRefillsAtFullRateAndDataLoss() {
        long last = client.granted(name, ++number).tokens().last();
        for (int i = 0; i < 500; i++) {
            Renew.Renewed renewed = (Renew.Renewed)
                    client.renew(List.of(new Renew(name, client.tenure(number), TestClient.LEASE, 1_000_000)))
                            .get(0);
            TokenBlock block = renewed.tokens().orElseThrow();
            assertThat(block.first()).isGreaterThan(last);
            last = block.last();
            assertThat(unit(last) - renewed.serverMicros()).isLessThan(10_000);
        }
        servers.redis.flushall();
        // a client needs longer than that to notice the loss and to come again
        long lost = System.nanoTime();
        Await.until("10 ms", () -> System.nanoTime() - lost > 10_000_000);
        assertThat(client.granted(name, ++number).tokens().first()).isGreaterThan(last);
    }

    @Tag("ci")
    @Test
    void riseOverFiveSecondsOfHandoffsAtFullRateAndDataLoss() throws Exception {
        try (Holdfast holdfast = Holdfast.connect(servers.uri())) {
            DistributedLock lock = holdfast.lock("hot");
            AtomicLong highest = new AtomicLong();
            long end = System.nanoTime() + SECONDS.toNanos(5);
            List<FutureTask<Void>> owners = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                FutureTask<Void> owner = new FutureTask<>(() -> handOn(holdfast, lock, end, highest), null);
                owners.add(owner);
                new Thread(owner, "owner-" + i).start();
            }
            for (FutureTask<Void> owner : owners) {
                owner.get();
            }
            assertThat(holdfast.stats().handoffs()).isGreaterThan(100_000);
            assertHigherAfterDataLoss("hot", highest.get());
        }
    }

    private static void handOn(Holdfast holdfast, DistributedLock lock, long end, AtomicLong highest) {
        while (System.nanoTime() - end < 0 || holdfast.stats().handoffs() <= 100_000) {
            lock.lock();
            highest.accumulateAndGet(lock.fencingToken(), Math::max);
            lock.unlock();
        }
    }

    @Tag("ci")
    @Test
    void riseOverFiveSecondsOfShortTenuresAtFullRateAndDataLoss() {
        long end = System.nanoTime() + SECONDS.toNanos(5);
        long last = 0;
        while (System.nanoTime() - end < 0) {
            TokenBlock tokens = client.granted(name, ++number).tokens();
            assertThat(tokens.first()).isGreaterThan(last);
            last = tokens.last();
            client.release(name, number);
        }
        assertHigherAfterDataLoss(name, last);
    }

    private void assertHigherAfterDataLoss(String lock, long highest) {
        servers.redis.flushall();
        assertThat(client.granted(lock, ++number).tokens().first()).isGreaterThan(highest);
    }

    @Test
    void riseWhenTheClockStepsBack() {
        long ahead = client.granted(name, ++number).serverMicros() + 3_600_000_000L;
        client.release(name, number);
        servers.redis.set(Servers.counterKey(), Long.toString(ahead));
        TokenBlock first = client.granted(name, ++number).tokens();
        assertThat(first).isEqualTo(TokenUnits.tokens(ahead + 1, 1));
        assertThat(client.granted(name, number).tokens()).isEqualTo(TokenUnits.tokens(ahead + 2, 1));
    }

    private static long unit(long token) {
        return TokenUnits.unit(token);
    }

    // ---- the counter

    @Test
    void thereIsOneCounterForAllNames() {
        for (int i = 0; i < 2_000; i++) {
            client.granted("name-" + i, ++number);
            client.release("name-" + i, number);
        }
        assertThat(servers.keys()).containsExactly(Servers.counterKey());
        assertThat(servers.redis.pttl(Servers.counterKey())).isEqualTo(-1);
    }

    @Test
    void semaphoresAndReadWriteLocksAreCountedThereToo() {
        try (Holdfast holdfast = Holdfast.connect(servers.uri())) {
            DistributedSemaphore permits = holdfast.semaphore("permits");
            permits.trySetPermits(3);
            long first = permits.tryAcquire().orElseThrow().fencingToken();
            long second = permits.tryAcquire().orElseThrow().fencingToken();
            long third = holdfast.readWriteLock("shared")
                    .writeLock()
                    .tryAcquire()
                    .orElseThrow()
                    .fencingToken();
            assertThat(second).isGreaterThan(first);
            assertThat(third).isGreaterThan(second);
            assertThat(unit(third)).isEqualTo(Long.parseLong(servers.redis.get(Servers.counterKey())));
        }
        assertThat(servers.keys()).allMatch(key -> key.matches("hf:\\{}:t:|.*:p[dl]:permits"));
    }

    @Test
    void eachPrefixHasACounter() {
        try (TestClient other = TestClient.open(servers.uri(), TestClient.prefixed("app:"))) {
            other.granted(name, 1);
            other.release(name, 1);
        }
        assertThat(servers.keys()).containsExactlyInAnyOrder(Servers.counterKey(), "hf:{}:t:app:");
    }

    @Test
    void namesDrawOneAfterTheOther() {
        long last = 0;
        for (int i = 0; i < 100; i++) {
            Acquire request = client.request("name-" + i, ++number).withTokens(9_000 * 1_024L);
            TokenBlock block = ((Acquire.Granted) client.acquire(request)).tokens();
            assertThat(block.first()).isGreaterThan(last);
            last = block.last();
        }
    }

    // ---- floors

    private TokenBlock raised(long floor, long tokens) {
        Renew renew = new Renew(name, client.tenure(number), TestClient.LEASE, tokens).withFloor(floor);
        Renew.Renewed renewed = (Renew.Renewed) client.renew(List.of(renew)).get(0);
        return renewed.tokens().orElse(new TokenBlock(1, 1));
    }

    @Test
    void aFloorStaysWithItsNameUntilTheClockHasPassedIt() {
        long hour = 3_600_000_000L << 10;
        long floor = client.granted(name, ++number).tokens().last() + hour;
        assertThat(raised(floor, 1).first()).isGreaterThan(floor);
        assertThat(servers.redis.pttl(Servers.floorKey(name))).isBetween(3_500_000L, 3_600_100L);
        client.release(name, number);
        long last = client.granted(name, ++number).tokens().first();
        assertThat(last).isGreaterThan(floor);
        assertThat(client.granted("another", 1).tokens().last()).isLessThan(floor);
        client.release(name, number);
        assertThat(client.granted(name, ++number).tokens().first()).isGreaterThan(last);
        client.release(name, number);
        client.release("another", 1);
        assertThat(servers.keys()).containsExactlyInAnyOrder(Servers.counterKey(), Servers.floorKey(name));
    }

    @Test
    void aFloorThatTheClockPassesGoes() {
        long floor = client.granted(name, ++number).tokens().last() + (5_000_000L << 10);
        raised(floor, 0);
        client.release(name, number);
        assertThat(servers.redis.exists(Servers.floorKey(name))).isEqualTo(1);
        Await.until("the floor has gone", () -> servers.redis.exists(Servers.floorKey(name)) == 0);
        assertThat(client.granted(name, ++number).tokens().first()).isGreaterThan(floor);
    }

    @Test
    void aFloorBelowTheClockIsNoKey() {
        raised(client.granted(name, ++number).tokens().last(), 1);
        client.release(name, number);
        assertThat(servers.keys()).containsExactly(Servers.counterKey());
    }
}
