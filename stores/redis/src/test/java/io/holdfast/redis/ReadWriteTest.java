package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockReport;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Read/write locks on a real server: what is sent, what is kept, and what is left. */
@Tag("everywhere")
class ReadWriteTest {

    /** A waiter that is not told would ask only after most of this time. */
    private static final Duration POLL = Duration.ofSeconds(20);

    private final Servers servers = Servers.shared();
    private final String name = Servers.name() + "-shared";
    private final Holdfast first = client("first");
    private final Holdfast second = client("second");
    private final DistributedReadWriteLock atFirst = first.readWriteLock(name);
    private final DistributedReadWriteLock atSecond = second.readWriteLock(name);

    private Holdfast client(String clientName) {
        return Holdfast.builder()
                .uri(servers.uri())
                .name(clientName)
                .pollInterval(POLL)
                .build();
    }

    @AfterEach
    void nothingIsLeft() {
        first.close();
        second.close();
        Await.until("gone: " + servers.keysOf(name), () -> servers.keysOf(name).isEmpty());
        assertThat(Servers.keys(servers.redis, "*" + name + "*rwlock_timeout*")).isEmpty();
    }

    @Test
    void eachReaderHasAFieldAnEndAndATimer() throws InterruptedException {
        atFirst.readLock().lock();
        try (Lease own = atFirst.readLock()
                        .tryAcquire(Duration.ZERO, Duration.ofSeconds(5))
                        .orElseThrow();
                Lease other = atSecond.readLock().tryAcquire().orElseThrow()) {
            assertThat(own.isValid() && other.isValid()).isTrue();
            assertThat(servers.redis.hgetall(name)).hasSize(4).containsEntry("mode", "read");
            servers.redis.hkeys(name).stream()
                    .filter(field -> !field.equals("mode"))
                    .forEach(tenure -> {
                        assertThat(servers.redis.zscore("hf:{" + name + "}:r:" + name, tenure))
                                .isPositive();
                        assertThat(servers.redis.pttl("{" + name + "}:" + tenure + ":rwlock_timeout:1"))
                                .isBetween(1L, 30_000L);
                    });
            assertThat(servers.redis.pttl(name)).isGreaterThan(20_000);
        }
        assertThat(servers.redis.hgetall(name)).hasSize(2);
        atFirst.readLock().unlock();
        assertThat(servers.redis.exists(name)).isZero();
    }

    @Test
    void aWriterHasAFieldWithAnEnding() {
        atFirst.writeLock().lock();
        assertThat(servers.redis.hgetall(name)).hasSize(2).containsEntry("mode", "write");
        assertThat(servers.redis.hkeys(name)).anyMatch(field -> field.matches(first.clientId() + ":\\d+:write"));
        atFirst.writeLock().unlock();
    }

    @Test
    void twoClientsThatReadAndThenWriteLoseNoUpdate() {
        servers.redis.set(name + ":value", "0");
        List<CompletableFuture<Void>> work = Stream.of(atFirst, atSecond, atFirst, atSecond)
                .map(lock -> CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 25; i++) {
                        lock.writeLock().run(() -> {
                            String value = servers.redis.get(name + ":value");
                            servers.redis.set(name + ":value", Long.toString(Long.parseLong(value) + 1));
                        });
                    }
                }))
                .toList();
        work.forEach(Await::reply);
        assertThat(servers.redis.getdel(name + ":value")).isEqualTo("100");
    }

    @Test
    void localReadersCostNoCommand() {
        Servers alone = Servers.start();
        try (alone;
                Holdfast client = Holdfast.builder()
                        .uri(alone.uri())
                        // no renewal is due
                        .lease(Duration.ofHours(1))
                        .build()) {
            DistributedLock lock = client.readWriteLock(name).readLock();
            lock.lock();
            long before = alone.calls("evalsha");
            for (int i = 0; i < 100; i++) {
                lock.tryAcquire().orElseThrow().close();
            }
            assertThat(alone.calls("evalsha")).isEqualTo(before);
            lock.unlock();
            assertThat(alone.calls("evalsha")).isEqualTo(before + 1);
        }
    }

    @Test
    void whoWaitsIsServedAtOnceWhenAWriterReadsOn() throws Exception {
        InTime.run(this::readOn);
    }

    private void readOn(String shared) {
        DistributedReadWriteLock here = first.readWriteLock(shared);
        DistributedReadWriteLock there = second.readWriteLock(shared);
        here.writeLock().lock();
        CompletableFuture<Lease> reader = there.readLock().async().acquire();
        CompletableFuture<Lease> writer = there.writeLock().async().acquire();
        Await.until("two wait", () -> first.inspect(shared).waiters().size() == 2);
        here.readLock().lock();
        assertThat(first.inspect(shared).holders()).hasSize(2);
        long before = System.nanoTime();

        here.writeLock().unlock();
        Lease reads = Await.reply(reader);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(POLL.dividedBy(2));
        assertThat(writer).isNotDone();
        assertThat(first.inspect(shared).holders())
                .extracting(LockReport.Holder::client)
                .extracting(LockReport.Client::id)
                .containsExactlyInAnyOrder(first.clientId(), second.clientId());
        reads.close();
        here.readLock().unlock();
        Lease writes = Await.reply(writer);
        assertThat(writes.fencingToken()).isGreaterThan(reads.fencingToken());
        writes.close();
    }

    @Test
    void aMixOfLocksIsRenewedWhereverItIsKept() {
        try (Holdfast brief = Holdfast.builder()
                .uri(servers.uri())
                .lease(Duration.ofSeconds(15))
                .build()) {
            List<DistributedLock> locks = List.of(
                    brief.lock(name + "-1"),
                    brief.readWriteLock(name + "-2").readLock(),
                    brief.readWriteLock(name + "-3").writeLock(),
                    brief.lock(name + "-4"));
            locks.forEach(DistributedLock::lock);
            long before = brief.stats().renewals();
            Await.until("renewals", () -> brief.stats().renewals() >= before + 2L * locks.size());
            assertThat(locks).allMatch(DistributedLock::isValid);
            locks.forEach(DistributedLock::unlock);
        }
    }

    @Test
    void aForcedReleaseFreesAllWhoRead() {
        atFirst.readLock().lock();
        atSecond.readLock().lock();
        assertThat(first.readWriteLock(name).writeLock().forceUnlock()).isTrue();
        Await.until(
                "both are lost",
                () -> !atFirst.readLock().isValid() && !atSecond.readLock().isValid());
        assertThatThrownBy(() -> atFirst.readLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> atSecond.readLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void theKeyEndsWithTheLastWhoReads() throws InterruptedException {
        Lease lasting = atFirst.readLock()
                .tryAcquire(Duration.ZERO, Duration.ofHours(1))
                .orElseThrow();
        atSecond.readLock().lock();
        assertThat(servers.redis.pttl(name)).isGreaterThan(3_000_000);
        lasting.close();
        assertThat(servers.redis.pttl(name)).isBetween(1L, 30_000L);
        atSecond.readLock().unlock();
    }

    @Test
    void otherKindsAreRefused() {
        atFirst.readLock().lock();
        assertThatThrownBy(() -> second.lock(name).tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("'" + name + "' is held as a read/write lock, and requested as a lock");
        atFirst.readLock().unlock();
        servers.redis.hset(name, Map.of("mode", "dark", "lang", "de"));
        assertThatThrownBy(() -> atSecond.readLock().tryLock()).isInstanceOf(StoreRefusedException.class);
        assertThatThrownBy(() -> atSecond.writeLock().tryLock()).isInstanceOf(StoreRefusedException.class);
        assertThat(second.list(name)).isEmpty();
        assertThat(servers.redis.pttl(name)).isEqualTo(-1);
        servers.redis.del(name);
        servers.redis.set(name, "text");
        assertThatThrownBy(() -> atSecond.readLock().tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(name);
        servers.redis.del(name);
    }
}
