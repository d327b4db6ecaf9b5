package io.holdfast.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
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
        for (int i = 0; i < 3_000; i++) {
            if (i % 100 == 99) {
                servers.redis.flushall();
            }
            Acquire.Granted granted = client.granted(name, ++number);
            assertThat(granted.tokens().first()).isGreaterThan(last);
            last = granted.tokens().last();
            client.release(name, number);
        }
    }

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

    @Test
    @Tag("once")
    void riseOverFiveSecondsOfHandoffsAtFullRateAndDataLoss() throws Exception {
        try (Holdfast holdfast = Holdfast.connect(servers.uri())) {
            DistributedLock lock = holdfast.lock("hot");
            AtomicLong highest = new AtomicLong();
            long end = System.nanoTime() + SECONDS.toNanos(5);
            List<FutureTask<Void>> owners = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                FutureTask<Void> owner = new FutureTask<>(() -> handOn(lock, end, highest), null);
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

    private static void handOn(DistributedLock lock, long end, AtomicLong highest) {
        while (System.nanoTime() - end < 0) {
            lock.lock();
            highest.accumulateAndGet(lock.fencingToken(), Math::max);
            lock.unlock();
        }
    }

    @Test
    @Tag("once")
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
    void unusedUnitsAreGivenBack() {
        Acquire.Granted granted = (Acquire.Granted) client.acquire(
                Acquire.of(name, client.tenure(++number), TestClient.LEASE).withTokens(9_000 * 1024L));
        assertThat(stored()).isEqualTo(unit(granted.tokens().last()));
        long used = granted.tokens().first() + 1;
        Await.reply(
                client.store().release(Release.of(name, client.tenure(number)).withLastToken(used)));
        Acquire.Granted next = client.granted(name, ++number);
        assertThat(next.tokens().first()).isGreaterThan(used);
        assertThat(unit(next.tokens().first())).isBetween(granted.serverMicros(), next.serverMicros());
    }

    @Test
    void aTenureThatDoesNotHoldGivesNothingBack() {
        Acquire.Granted granted = (Acquire.Granted) client.acquire(
                Acquire.of(name, client.tenure(++number), TestClient.LEASE).withTokens(9_000 * 1024L));
        long stored = stored();
        Await.reply(client.store()
                .release(Release.of(name, client.tenure(number + 1))
                        .withLastToken(granted.tokens().first())));
        assertThat(stored()).isEqualTo(stored);
    }

    @Test
    void riseWhenTheClockStepsBack() {
        long ahead = client.granted(name, ++number).serverMicros() + 3_600_000_000L;
        client.release(name, number);
        servers.redis.set(Servers.tokenKey(name), Long.toString(ahead));
        TokenBlock first = client.granted(name, ++number).tokens();
        assertThat(first).isEqualTo(TokenUnits.tokens(ahead + 1, 1));
        assertThat(client.granted(name, number).tokens()).isEqualTo(TokenUnits.tokens(ahead + 2, 1));
    }

    private static long unit(long token) {
        return TokenUnits.unit(token);
    }

    private long stored() {
        return Long.parseLong(servers.redis.get(Servers.tokenKey(name)));
    }
}
