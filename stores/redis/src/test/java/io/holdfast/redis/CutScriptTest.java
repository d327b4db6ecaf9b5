package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.AsyncLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.testkit.Await;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one run of a script leaves to be done is done by further runs at once, and not only when somebody polls. */
class CutScriptTest {

    private static final int GONE = 450;
    private static final Duration POLL = Duration.ofSeconds(15);
    private static final Duration SOON = Duration.ofSeconds(7);

    private final Servers servers = Servers.shared();
    private final Holdfast first = client();
    private final Holdfast second = client();
    private final String name = Servers.name();

    private Holdfast client() {
        return Holdfast.builder().uri(servers.uri()).pollInterval(POLL).build();
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    /** Of clients that listen to nothing, before all others. */
    private void fill(String key, IntFunction<ScoredValue<String>> each) {
        fill(key, GONE, each);
    }

    private void fill(String key, int count, IntFunction<ScoredValue<String>> each) {
        servers.redis.zadd(
                key,
                IntStream.range(0, count)
                        .mapToObj(each)
                        .flatMap(place -> Stream.<Object>of(place.getScore(), place.getValue()))
                        .toArray());
    }

    private static <T> T soon(CompletableFuture<T> future) {
        long began = System.nanoTime();
        T got = Await.reply(future);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
        return got;
    }

    private String key(String kind) {
        return new KeyLayout("", "").countedKeys(name, kind)[0];
    }

    private void served(Lease held, AsyncLock<Lease> waiting, String mark) {
        CompletableFuture<Lease> next = waiting.acquire();
        Await.until("it waits", () -> servers.redis.exists(key("q")) == 1);
        fill(key("q"), i -> ScoredValue.just(1_000 + i, mark + "gone" + i + ":1"));
        held.close();
        soon(next).close();
    }

    @Test
    void atALock() throws InterruptedException {
        served(first.lock(name).acquire(), second.lock(name).async(), "");
    }

    @Test
    void atAFairLock() throws InterruptedException {
        served(first.fairLock(name).acquire(), second.fairLock(name).async(), "!");
    }

    @Test
    void atAReadWriteLock() throws InterruptedException {
        served(
                first.readWriteLock(name).writeLock().acquire(),
                second.readWriteLock(name).writeLock().async(),
                "");
    }

    @Test
    void atASemaphore() throws InterruptedException {
        first.semaphore(name).trySetPermits(1);
        Permit held = first.semaphore(name).acquire();
        CompletableFuture<Permit> next = second.semaphore(name).async().acquire();
        Await.until("it waits", () -> servers.redis.exists(key("pq")) == 1);
        fill(key("pq"), i -> ScoredValue.just(1_000 + i, "gone" + i + ":1"));
        held.close();
        soon(next).close();
    }

    @Test
    void atALatch() {
        first.countDownLatch(name).trySetCount(1);
        CompletableFuture<?> opened = second.countDownLatch(name).async().await();
        Await.until("it listens", () -> servers.redis.exists(key("ll")) == 1);
        fill(key("ll"), i -> ScoredValue.just(1_000 + i, "gone" + i));
        first.countDownLatch(name).countDown();
        soon(opened);
    }

    @Test
    void atALatchThatIsSetAnew() {
        first.countDownLatch(name).trySetCount(1);
        CompletableFuture<?> gone = second.countDownLatch(name).async().await();
        Await.until("it listens", () -> servers.redis.exists(key("ll")) == 1);
        fill(key("ll"), i -> ScoredValue.just(1_000 + i, "gone" + i));
        first.countDownLatch(name).reset(1);
        soon(gone.handle((opened, error) -> error != null));
    }

    /** Clients that were told of it listen again, so the end would never come. */
    @Test
    void whoListensToALatchSinceItWasSetAnewIsNotToldOfThat() {
        first.countDownLatch(name).trySetCount(1);
        fill(key("ll"), i -> ScoredValue.just(8e15 + i, "new" + i));
        first.countDownLatch(name).reset(1);
        assertThat(servers.redis.zcard(key("ll"))).isEqualTo(GONE);
    }

    @Test
    void andAllHoldersOfPermitsAreShown() {
        int many = 1_203;
        first.semaphore(name).trySetPermits(3 * many);
        fill(key("ph"), many, i -> ScoredValue.just(2, "holder" + i + ":1"));
        fill(key("pe"), many, i -> ScoredValue.just(8e15, "holder" + i + ":1"));
        assertThat(first.semaphore(name).holders()).hasSize(many);
        assertThat(first.semaphore(name).available()).isEqualTo(many);
    }

    /** Of the keys of a semaphore one may be released before the others, while its slot moves. */
    @Test
    void whoIsReleasedByHalfIsNotShown() {
        first.semaphore(name).trySetPermits(5);
        fill(key("ph"), 3, i -> ScoredValue.just(1, "holder" + i + ":1"));
        fill(key("pe"), 4, i -> ScoredValue.just(8e15, "holder" + (3 - i) + ":1"));
        servers.redis.zadd(key("ph"), 3, "=");
        assertThat(first.semaphore(name).holders()).hasSize(3);
        assertThat(first.semaphore(name).available()).isEqualTo(2);
    }
}
