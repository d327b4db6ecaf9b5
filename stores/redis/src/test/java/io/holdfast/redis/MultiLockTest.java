package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Multi-locks of names in one server. */
class MultiLockTest {

    private static final Duration QUIET = Duration.ofMinutes(10);

    private final Servers servers = Servers.start();
    private final Holdfast a = client(options -> options.commandTimeout(QUIET));
    private final Holdfast b = client(options -> options);

    private Holdfast client(UnaryOperator<HoldfastBuilder> options) {
        return options.apply(Holdfast.builder().uri(servers.uri())).build();
    }

    @AfterEach
    void nothingIsLeft() {
        List.of(a, b)
                .forEach(client -> Await.until(
                        "all releases are confirmed", () -> client.stats().unsettled() == 0));
        a.close();
        b.close();
        List<String> left =
                servers.keys().stream().filter(key -> !key.contains("}:t:")).toList();
        servers.close();
        assertThat(left).isEmpty();
    }

    private static MultiLock of(Holdfast client, String... names) {
        return MultiLock.of(Stream.of(names).map(client::lock).toList());
    }

    @Test
    void costsOneCommandForEachName() {
        String[] names = IntStream.range(0, 50).mapToObj(i -> "n" + i).toArray(String[]::new);
        MultiLock all = of(a, names);
        all.lock();
        all.unlock();
        long scripts = servers.calls("evalsha");
        all.lock();
        assertThat(servers.calls("evalsha") - scripts).isEqualTo(50);
        assertThat(servers.redis.exists(names)).isEqualTo(50);
        assertThat(servers.redis.hgetall("n7")).hasSize(1).containsValue("1");
        assertThat(servers.redis.pttl("n7")).isBetween(20_000L, 30_000L);
        assertThat(b.lock("n7").tryLock()).isFalse();
        long token = a.lock("n7").fencingToken();
        all.unlock();
        b.lock("n7").lock();
        assertThat(b.lock("n7").fencingToken()).isGreaterThan(token);
        b.lock("n7").unlock();
    }

    @Test
    void leavesNothingAfterARefusedTry() {
        MultiLock all = of(a, "1", "2", "3");
        all.lock();
        all.unlock();
        b.lock("2").lock();
        long scripts = servers.calls("evalsha");
        assertThat(all.tryLock()).isFalse();
        assertThat(servers.calls("evalsha") - scripts)
                .as("1, 2, and the release of 1")
                .isEqualTo(3);
        assertThat(servers.redis.exists("1", "3", Servers.queueKey("2"))).isZero();
        assertThatThrownBy(() -> all.acquire(Duration.ofSeconds(2)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContainingAll("'2'", "held by", b.clientId());
        b.lock("2").unlock();
    }

    @Test
    void isRefusedWhileRedissonHoldsAMember() {
        servers.holdAsOther("2", Map.of("redisson:1", "1"));
        MultiLock all = of(a, "1", "2");
        assertThat(all.tryLock()).isFalse();
        servers.redis.hset("2", Map.of("mode", "read"));
        assertThatThrownBy(all::tryLock)
                .isInstanceOfSatisfying(
                        StoreRefusedException.class, e -> assertThat(e.name()).isEqualTo("2"))
                .hasMessageContaining("held as a read/write lock");
        servers.redis.del("2");
    }

    @ParameterizedTest
    @EnumSource
    void namesAKeyOfAnotherProgramAndLeavesNothing(BadKeyTest.Key key) {
        servers.redis.lpush(key.of("2"), "of another program");
        MultiLock all = of(a, "1", "2", "3");
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                all::tryLock,
                all::lock,
                all::acquire,
                () -> Await.reply(all.async().acquire()))) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(
                            StoreRefusedException.class,
                            e -> assertThat(e.name()).isEqualTo("2"))
                    .hasMessageContainingAll("lock '2'", "the key '" + key.of("2") + "' is not a key of Holdfast");
        }
        assertThat(servers.redis.exists("1", "3")).isZero();
        servers.redis.del(key.of("2"));
    }

    @Test
    void leavesNothingOnAFullServer() {
        MultiLock all = of(b, "1", "2", "3");
        all.lock();
        all.unlock();
        servers.redis.configSet("maxmemory", "1");
        assertThatThrownBy(all::tryLock).hasMessageContaining("memory is full");
        assertThat(servers.redis.exists("1", "2", "3")).isZero();
        servers.redis.configSet("maxmemory", "0");
    }

    @Test
    void settlesARequestWhoseConnectionIsCut() {
        MultiLock all = of(b, "1", "2");
        all.lock();
        all.unlock();
        servers.pauseWrites();
        CompletableFuture<MultiLease> future = all.async().acquire();
        Await.until("it is under way", () -> servers.redis.clientList().contains("cmd=evalsha"));
        servers.cut();
        servers.unpause();
        Await.reply(future).close();
    }

    @Test
    void holdsOnceWhenEachRequestArrivesTwice() throws InterruptedException {
        Doubling doubling = new Doubling();
        Holdfast doubled = client(options -> options.provider(doubling));
        MultiLock all = of(doubled, "1", "2", "3");
        for (int i = 0; i < 20; i++) {
            assertThat(all.tryLock(Duration.ofSeconds(20))).isTrue();
            assertThat(all.isValid()).isTrue();
            all.unlock();
        }
        assertThat(doubling.acquires.get()).isGreaterThanOrEqualTo(60);
        assertThat(doubling.differences).isEmpty();
        doubled.close();
    }

    @Tag("ci")
    @Test
    void letsClientsThroughInAnyOrder() throws InterruptedException {
        List<MultiLock> locks = List.of(of(a, "1", "2", "3"), of(b, "3", "2"), of(b, "3", "1"));
        int[] inside = {0};
        List<Thread> threads = IntStream.range(0, 6)
                .mapToObj(i -> new Thread(() -> {
                    for (int round = 0; round < 30; round++) {
                        MultiLock lock = locks.get(i % locks.size());
                        lock.lock();
                        inside[0]++;
                        lock.unlock();
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(inside[0]).as("every two have one in common").isEqualTo(180);
    }
}
