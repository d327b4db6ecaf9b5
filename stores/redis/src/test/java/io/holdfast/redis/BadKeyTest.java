package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockReport;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a user is told when something else uses one of the keys of a lock. */
class BadKeyTest {

    /** The three keys of a lock. */
    enum Key {
        LOCK {
            @Override
            String of(String name) {
                return name;
            }
        },
        FLOOR {
            @Override
            String of(String name) {
                return Servers.floorKey(name);
            }
        },
        QUEUE {
            @Override
            String of(String name) {
                return Servers.queueKey(name);
            }
        };

        abstract String of(String name);
    }

    private static final Duration LONG = Duration.ofSeconds(20);

    private final Servers servers = Servers.shared();
    private final BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();
    private final Holdfast client = Holdfast.builder()
            .uri(servers.uri())
            .pollInterval(Duration.ofMillis(100))
            .listener(events::add)
            .build();
    private final String name = Servers.name();
    private final DistributedLock lock = client.lock(name);
    private final DistributedLock another = client.lock(Servers.name());

    @AfterEach
    void close() {
        Await.until("all releases are confirmed", () -> client.stats().unsettled() == 0);
        client.close();
        assertThat(servers.keysOf(name)).isEmpty();
        assertThat(servers.keysOf(another.name())).isEmpty();
    }

    /** A list is of none of the types that a lock has. */
    private void overwrite(Key key) {
        servers.redis.del(key.of(name));
        servers.redis.lpush(key.of(name), "of another program");
    }

    private void repair(Key key) {
        servers.redis.del(key.of(name));
    }

    private void assertRefused(Key key, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreRefusedException.class, e -> assertThat(e.name()).isEqualTo(name))
                .hasMessageContainingAll("lock '" + name + "'", "Redis at " + servers.uri())
                .hasMessageContainingAll(
                        "the key '" + key.of(name) + "' is not a key of Holdfast", "another program keeps a list there")
                .hasMessageContaining("choose another name, or set keyPrefix");
    }

    /** It was held before, is held, and can be taken anew. */
    private void assertAnotherIsUntouched(Lease held) {
        assertThat(held.isValid()).isTrue();
        renew(held);
        held.close();
        another.lock();
        another.unlock();
    }

    private static void renew(Lease lease) {
        Refusals.renew(lease::remainingLease, lease::ensureValid);
    }

    private void assertWorks() throws InterruptedException {
        assertThat(lock.tryLock(LONG)).isTrue();
        assertThat(lock.holder()).isPresent();
        lock.unlock();
    }

    @ParameterizedTest
    @EnumSource
    void allWaysToAcquireAreRefusedAtOnce(Key key) throws Exception {
        Lease held = another.acquire();
        overwrite(key);
        for (ThrowingCallable call : new ThrowingCallable[] {
            lock::lock,
            () -> lock.lock(LONG),
            lock::tryLock,
            () -> lock.tryLock(LONG),
            () -> lock.tryLock(LONG, LONG),
            lock::acquire,
            () -> lock.acquire(LONG),
            lock::tryAcquire,
            () -> Await.reply(lock.async().acquire())
        }) {
            assertRefused(key, call);
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertAnotherIsUntouched(held);
        assertThat(servers.redis.lrange(key.of(name), 0, -1)).containsExactly("of another program");
        repair(key);
        assertWorks();
    }

    @ParameterizedTest
    @EnumSource
    void questionsAndForceAreRefused(Key key) throws Exception {
        Lease held = another.acquire();
        overwrite(key);
        assertRefused(key, lock::holder);
        assertRefused(key, lock::isLocked);
        assertRefused(key, () -> client.inspect(name));
        assertRefused(key, lock::forceUnlock);
        assertThat(client.list("")).extracting(LockReport::name).contains(another.name());
        assertAnotherIsUntouched(held);
        repair(key);
        assertWorks();
    }

    @ParameterizedTest
    @EnumSource
    void oneWhoWaitsIsRefusedWhenTheKeyBreaks(Key key) throws Exception {
        try (Holdfast other = Holdfast.connect(servers.uri())) {
            Lease first = other.lock(name).acquire();
            CompletableFuture<Lease> waiting = lock.async().acquire();
            Await.until("it waits", () -> servers.redis.exists(Servers.queueKey(name)) == 1);
            overwrite(key);
            assertRefused(key, () -> Await.reply(waiting));
            repair(key);
            assertThat(catchThrowable(first::close))
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isNull(),
                            thrown -> assertThat(thrown).hasMessageContaining("lost its hold"));
            assertWorks();
        }
    }

    /** The counter of tokens is needed only for the next holder: without it the lock is released. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOOR")
    void anUnlockThatIsRefusedIsALossAtOnce(Key key) throws Exception {
        Lease held = another.acquire();
        lock.lock(LONG);
        overwrite(key);
        assertThatThrownBy(lock::unlock)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContainingAll("refused to release it", key.of(name), "keeps a list there");
        Await.until("nothing is repeated", () -> client.stats().unsettled() == 0);
        assertThat(client.stats().lost()).isEqualTo(1);
        Await.until("the loss is reported", () -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertAnotherIsUntouched(held);
        assertRefused(key, lock::lock);
        repair(key);
        servers.redis.del(name);
        assertWorks();
    }

    @Test
    void anUnlockReleasesThoughTheCounterIsBroken() throws Exception {
        lock.lock();
        overwrite(Key.FLOOR);
        lock.unlock();
        assertThat(servers.redis.exists(name)).isZero();
        assertThat(client.stats().lost()).isZero();
        assertThat(client.stats().unsettled()).isZero();
        assertRefused(Key.FLOOR, lock::lock);
        repair(Key.FLOOR);
        assertWorks();
    }

    @Test
    void aRenewalSaysWhatIsWrongAndIsALoss() throws Exception {
        Lease lease = lock.acquire();
        overwrite(Key.QUEUE);
        try {
            assertThatThrownBy(() -> renew(lease))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("lock '" + name + "'")
                    .hasMessageContaining("its renewal was refused")
                    .hasMessageContaining(Servers.queueKey(name));
        } finally {
            repair(Key.QUEUE);
        }
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }
}
