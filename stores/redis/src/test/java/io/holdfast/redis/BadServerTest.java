package io.holdfast.redis;

import static io.holdfast.redis.Refusals.assertConnects;
import static io.holdfast.redis.Refusals.assertThrows;
import static io.holdfast.redis.Refusals.assertUnlockGoesOn;
import static io.holdfast.redis.Refusals.assertWorksAndNothingIsLeft;
import static io.holdfast.redis.Refusals.connect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What connect, lock, tryLock and unlock do with a server that cannot do what they ask. */
class BadServerTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final Servers servers = Servers.slowToLoad();
    private final Holdfast client = connect(servers.uri());
    private final DistributedLock held = client.lock("held");
    private final Holdfast impatient = Holdfast.builder()
            .uri(servers.uri())
            .commandTimeout(Duration.ofMillis(500))
            .build();
    private final DistributedLock free = impatient.lock("free"); // which is not acquired

    @AfterEach
    void close() {
        impatient.close();
        client.close();
        servers.close();
    }

    private static void assertConnectFails(String uri, String... texts) {
        assertThatThrownBy(() -> connect(uri).close())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("Redis at " + uri + ": cannot connect: ")
                .hasMessageContainingAll(texts);
    }

    private static void assertUnavailable(DistributedLock lock) {
        // the outcome of a request that is under way when the client learns of it is unknown
        Await.until("the client knows of it", () -> catchThrowable(lock::tryLock) instanceof StoreUnavailableException);
        assertNotAcquired(StoreUnavailableException.class, lock, "was not acquired after");
    }

    private static void assertFull(DistributedLock lock) {
        assertNotAcquired(StoreRefusedException.class, lock, "its memory is full");
    }

    private static void assertNotAcquired(Class<? extends HoldfastException> kind, DistributedLock lock, String text) {
        for (ThrowingCallable call : new ThrowingCallable[] {lock::lock, () -> lock.tryLock(LONG)}) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            // the outcome is unknown if the machine was too slow to hear the answer
            Await.until("the outcome is known", () -> {
                thrown.set(catchThrowable(call));
                return !(thrown.get() instanceof IndeterminateLockException);
            });
            assertThrows(kind, lock, () -> {
                        throw thrown.get();
                    })
                    .hasMessageContaining(text);
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    private void makeItAReplicaOfNobody() {
        servers.redis.replicaof("127.0.0.1", 1);
    }

    private void fillIt() {
        servers.redis.configSet("maxmemory", "1");
    }

    @Test
    void aServerThatLoadsItsDataIsUnavailableUntilItHas() throws Exception {
        held.lock();
        servers.beginLoading();
        assertConnectFails(servers.uri(), "it is loading its data; it will answer when it has finished");
        assertUnavailable(free);
        assertUnlockGoesOn(client, held);
        assertThrows(StoreUnavailableException.class, held, held::holder).hasMessageContaining("is loading its data");
        servers.endLoading();
        assertWorksAndNothingIsLeft(servers, client);
    }

    @Test
    void aReplicaIsUnavailable() throws Exception {
        held.lock();
        makeItAReplicaOfNobody();
        assertConnectFails(servers.uri(), "it is a replica; connect to the primary, or wait for the failover to end");
        assertUnavailable(free);
        assertThrows(StoreUnavailableException.class, held, held::forceUnlock)
                .hasMessageContaining("it is a replica; connect to the primary");
        assertUnlockGoesOn(client, held);
        servers.redis.replicaofNoOne();
        assertWorksAndNothingIsLeft(servers, client);
    }

    @Test
    void connectsWhenTheServerIsPromotedAfterTheFirstAttempt() {
        makeItAReplicaOfNobody();
        long before = servers.connectionsSoFar();
        CompletableFuture<Holdfast> building = CompletableFuture.supplyAsync(() -> Holdfast.builder()
                .uri(servers.uri())
                .connectTimeout(Duration.ofSeconds(30))
                .build());
        Await.until("some attempts have failed", () -> building.isDone() || servers.connectionsSoFar() > before + 2);
        servers.redis.replicaofNoOne();
        try (Holdfast built = Await.reply(building)) {
            assertThat(built.lock("free").tryLock()).isTrue();
        }
    }

    @Test
    void aReplicaThatWantsItsPrimaryIsUnavailable() throws Exception {
        held.lock();
        servers.redis.configSet("replica-serve-stale-data", "no");
        makeItAReplicaOfNobody();
        assertConnectFails(servers.uri(), "it is a replica that has lost its primary; connect to the primary");
        assertUnavailable(free);
        assertThrows(StoreUnavailableException.class, held, held::isLocked)
                .hasMessageContaining("a replica that has lost its primary");
        assertUnlockGoesOn(client, held);
        servers.redis.replicaofNoOne();
        assertWorksAndNothingIsLeft(servers, client);
    }

    @Test
    void aFullServerGrantsNothingButRenewsAndReleases() throws Exception {
        held.lock();
        Lease lease = client.lock("lease").acquire();
        Lease read = client.readWriteLock("read").readLock().acquire();
        client.semaphore("permits").trySetPermits(2);
        Permit permit = client.semaphore("permits").acquire();
        fillIt();
        assertConnects(servers.uri());
        assertFull(client.lock("free"));
        assertThat(Servers.keys(servers.redis, "*free*")).isEmpty();
        servers.redis.pexpire("lease", 5_000);
        Refusals.renew(lease::remainingLease, lease::ensureValid);
        Refusals.renew(read::remainingLease, read::ensureValid);
        Refusals.renew(permit::remainingLease, permit::ensureValid);
        assertThat(servers.redis.pttl("lease")).isGreaterThan(5_000);
        permit.close();
        read.close();
        lease.close();
        held.unlock();
        assertThat(servers.redis.exists("held", "lease", "read", "hf:{permits}:ph:permits"))
                .isZero();
        Await.until("nothing is open", () -> client.stats().unsettled() == 0);
        servers.redis.configSet("maxmemory", "0");
        assertWorksAndNothingIsLeft(servers, client);
    }

    @Test
    void aServerThatWasFullFromTheBeginningGrantsNothing() {
        try (Servers full = Servers.start("--maxmemory", "1", "--maxmemory-policy", "noeviction");
                Holdfast there = connect(full.uri())) {
            assertFull(there.lock("free"));
            assertThat(Servers.keys(full.redis, "*")).isEmpty();
        }
    }

    /** What befalls a server after a client has connected, and what the client is told then. */
    enum Fault {
        LOADING("it is loading its data; it will answer when it has finished") {
            @Override
            void befall(BadServerTest test) {
                test.servers.beginLoading();
                Await.until(
                        "the client hears of it",
                        () -> String.valueOf(catchThrowable(test.held::holder)).contains(text));
            }
        },
        REPLICA("it is a replica; connect to the primary, or wait for the failover to end") {
            @Override
            void befall(BadServerTest test) {
                test.makeItAReplicaOfNobody();
            }
        },
        LOST_REPLICA("it is a replica that has lost its primary; connect to the primary") {
            @Override
            void befall(BadServerTest test) {
                test.servers.redis.configSet("replica-serve-stale-data", "no");
                test.makeItAReplicaOfNobody();
            }
        },
        FULL("its memory is full") {
            @Override
            void befall(BadServerTest test) {
                test.fillIt();
            }
        },
        GONE("nothing listens there; check host and port, and that the server runs") {
            @Override
            void befall(BadServerTest test) {
                test.servers.server.kill();
            }
        };

        final String text;

        Fault(String text) {
            this.text = text;
        }

        abstract void befall(BadServerTest test);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsWrongWithTheServerIsInTheText(Fault fault) {
        fault.befall(this);
        assertSays(fault.text, () -> free.tryLock(LONG));
        assertSays(fault.text, free::lock);
    }

    /** Not the first time, if the machine was too slow to hear what is wrong. */
    private void assertSays(String text, ThrowingCallable call) {
        Await.until("the text has: " + text, () -> {
            Throwable thrown = catchThrowable(call);
            assertThrows(HoldfastException.class, free, () -> {
                throw thrown;
            });
            return thrown.getMessage().contains(text);
        });
    }
}
