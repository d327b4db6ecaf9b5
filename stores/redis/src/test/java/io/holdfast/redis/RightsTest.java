package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.recipes.MultiLock;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that do not let a client do all it wants. */
class RightsTest {

    /** More than a claim window, so that a renewal has to prove it; less than a lease by what an answer may take. */
    private static final Duration LONG_AFTER_THE_CLAIM = Duration.ofSeconds(20);

    private final Servers servers = Servers.start();

    @AfterEach
    void close() {
        servers.close();
    }

    private TestClient open(String... rights) {
        return TestClient.open(servers.allow("app", rights));
    }

    @Test
    void withoutChannelsItWorksByPolling() {
        try (TestClient client = open("~*", "+@all", "resetchannels");
                TestClient other = TestClient.open(servers.uri())) {
            assertThatThrownBy(() -> Await.reply(client.store().confirmSignals()))
                    .isInstanceOf(StoreException.class);
            client.granted("lock", 1);
            Acquire.Refused refused = other.queued("lock", 5);
            assertThat(other.arrived()).isEmpty();
            Release.Reply released = client.assign("lock", 1);
            assertThat(released.held()).isTrue();
            assertThat(released.foreignWaiters()).isEqualTo(1);
            assertThat(servers.redis.exists("lock")).isZero();
            assertThat(other.granted("lock", 5).foreignWaiters()).isZero();
            Acquire.Refused waiting = client.queued("lock", 2);
            assertThat(waiting.run()).isZero();
            assertThat(waiting.arrival()).isGreaterThan(refused.arrival());
            other.release("lock", 5);
            client.granted("lock", 2);
            assertThat(servers.keysOf("lock")).containsExactly("lock");
        }
    }

    /** A message would have told that nobody receives it. */
    @Test
    void withoutMessagesAPlaceOfAClientThatIsGoneHoldsUpNoPermit() {
        String uri = servers.allow("app", "~*", "&*", "+@all", "-publish");
        try (TestClient holder = TestClient.open(uri);
                TestClient fair = TestClient.open(uri)) {
            long never = Long.MAX_VALUE >> 11;
            Await.reply(holder.store()
                    .counters()
                    .change(new Change(Change.Kind.SET_PERMITS, "n", holder.tenure(9), 1, Optional.empty(), never)));
            assertThat(holder.acquire(permit(holder))).isInstanceOf(Acquire.Granted.class);
            try (TestClient gone = TestClient.open(uri)) {
                Acquire place = permit(gone).queued(Acquire.Queueing.BARGING, 0);
                assertThat(gone.acquire(place)).isInstanceOf(Acquire.Refused.class);
            }
            Acquire waiting = permit(fair).queued(Acquire.Queueing.FAIR, 0);
            assertThat(fair.acquire(waiting)).isInstanceOf(Acquire.Refused.class);
            Await.reply(holder.store().release(Release.of("n", holder.tenure(1)).withMode(Share.Mode.PERMITS)));
            Await.until("the fair one has it", () -> fair.acquire(waiting) instanceof Acquire.Granted);
        }
    }

    private static Acquire permit(TestClient client) {
        return client.request("n", 1).withShare(Share.permits(1));
    }

    @Test
    void withoutScriptsItIsRefused() {
        try (TestClient client = open("~*", "&*", "+@all", "-evalsha")) {
            assertRefused(client, "evalsha");
        }
        try (TestClient client = open("~*", "&*", "+@all", "-eval")) {
            assertRefused(client, "eval");
        }
    }

    @Test
    void withoutTheKeysItIsRefused() {
        try (TestClient client = open("~other:*", "&*", "+@all")) {
            assertRefused(client, "NOPERM");
        }
    }

    @Test
    void withoutACommandOfTheScriptItIsNotKnown() {
        try (TestClient client = open("~*", "&*", "+@all", "-hset")) {
            assertEffect(Effect.UNKNOWN, client, "can't run this command");
        }
        try (TestClient client = open("~*", "&*", "+@all", "-get")) {
            assertRefused(client, "cannot be used");
        }
    }

    @Test
    void aListThatWouldMissSomethingFails() {
        try (TestClient client = open("~*", "&*", "+@all", "-hgetall", "-zrangebyscore");
                TestClient other = TestClient.open(servers.uri());
                Holdfast holdfast = Holdfast.connect(servers.uri())) {
            other.granted("lock", 1);
            holdfast.semaphore("lock").trySetPermits(1);
            assertThatThrownBy(() -> Await.reply(client.store().list("")))
                    .hasMessageContaining("can't run this command");
            CounterStore counters = client.store().counters();
            assertThatThrownBy(() -> Await.reply(counters.semaphores("")))
                    .hasMessageContaining("can't run this command");
            holdfast.semaphore("lock").delete();
        }
    }

    @Test
    void theRightsOfTheDocumentationAreEnough() {
        try (TestClient client = open(
                "~*",
                "resetchannels",
                "&hf:in:*",
                "+evalsha",
                "+eval",
                "+time",
                "+hlen",
                "+hexists",
                "+hget",
                "+hkeys",
                "+hgetall",
                "+hscan",
                "+hset",
                "+hdel",
                "+del",
                "+exists",
                "+pexpire",
                "+pttl",
                "+get",
                "+set",
                "+mget",
                "+scan",
                "+type",
                "+zcard",
                "+zscore",
                "+zadd",
                "+zrem",
                "+zpopmin",
                "+zrange",
                "+publish",
                "+subscribe",
                "+ping",
                "+hello",
                "+client|setname")) {
            client.granted("lock", 1);
            try (TestClient other = TestClient.open(servers.uri())) {
                other.queued("lock", 1);
                client.renew("lock", 1);
                assertThat(Await.reply(client.store().list(""))).hasSize(1);
                client.assign("lock", 1);
                // refused, or granted if the claim window is over by then
                var unused = client.acquire(client.request("lock", 2).queued(Acquire.Queueing.BARGING, 0));
                Await.reply(client.store().forceRelease("lock"));
            }
            assertThat(client.arrived()).isNotEmpty();
        }
    }

    @Test
    void theLineOfTheDocumentationIsEnoughForItsNames() throws Exception {
        String uri = servers.allow("locks", MinimalRights.line().toArray(String[]::new));
        try (Holdfast client = patient(uri);
                Holdfast other = patient(uri)) {
            DistributedLock lock = client.lock("orders/1");
            passesOn(client, lock, other.lock(lock.name()));
            passesOn(client, client.fairLock("orders/2"), other.fairLock("orders/2"));
            DistributedReadWriteLock both = client.readWriteLock("orders/3");
            passesOn(client, both.readLock(), other.readWriteLock(both.name()).writeLock());
            client.semaphore("orders/4").setPermits(1);
            try (Permit permit = client.semaphore("orders/4").acquire()) {
                assertThat(other.semaphore("orders/4").tryAcquire()).isEmpty();
                assertThat(permit.isValid()).isTrue();
            }
            client.countDownLatch("orders/5").trySetCount(1, Duration.ofMinutes(1));
            other.countDownLatch("orders/5").countDown();
            client.countDownLatch("orders/5").await();
            MultiLock.of(lock, client.lock("orders/6")).acquire().close();
            assertThat(client.list("orders/")).isEmpty();
            assertThat(client.listSemaphores("orders/")).hasSize(1);
            assertThat(lock.forceUnlock()).isFalse();
            assertThat(client.stats().storeFailures() + other.stats().storeFailures())
                    .isZero();
            assertThatThrownBy(() -> client.lock("other").lock())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("the user lacks a right");
        }
    }

    /** A client for which an answer that a busy machine gives late is no failure of the store. */
    private static Holdfast patient(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .commandTimeout(Duration.ofSeconds(20))
                .build();
    }

    /** Acquires the one, and passes it on to the other, which waits meanwhile. */
    private static void passesOn(Holdfast client, DistributedLock first, DistributedLock second) throws Exception {
        Lease held = first.acquire();
        CompletableFuture<Lease> next = second.async().acquire();
        Await.until("it waits", () -> !client.inspect(first.name()).waiters().isEmpty());
        held.ensureValid(LONG_AFTER_THE_CLAIM);
        held.close();
        try (Lease lease = next.get(60, TimeUnit.SECONDS)) {
            lease.ensureValid(LONG_AFTER_THE_CLAIM);
        }
    }

    private static void assertRefused(TestClient client, String text) {
        assertEffect(Effect.REFUSED, client, text);
    }

    private static void assertEffect(Effect effect, TestClient client, String text) {
        assertThatThrownBy(() -> client.acquire("lock", 1))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(effect))
                .hasMessageContaining(text);
    }

    @Test
    void aFullServerRenewsAndReleasesButGrantsNothing() {
        try (TestClient client = TestClient.open(servers.uri());
                TestClient other = TestClient.open(servers.uri())) {
            client.granted("lock", 1);
            client.granted("another", 2);
            other.queued("another", 1);
            servers.redis.configSet("maxmemory", "1");
            assertThatThrownBy(() -> client.acquire("third", 3))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.REFUSED))
                    .hasMessageContaining("its memory is full");
            Renew renew = new Renew("lock", client.tenure(1), TestClient.LEASE, 1_000);
            assertThat(client.renew(List.of(renew)).get(0)).isInstanceOf(Renew.Renewed.class);
            assertThat(client.granted("lock", 1)).isNotNull();
            assertThat(client.release("lock", 1).held()).isTrue();
            assertThat(client.assign("another", 2).held()).isTrue();
            assertThat(other.next(Signal.Assigned.class).tenure()).isEqualTo(other.tenure(1));
            assertThat(servers.redis.exists("third")).isZero();
        }
    }

    @Test
    void aServerThatBecomesAReplicaIsRefused() {
        try (Servers demoted = Servers.start();
                TestClient client = TestClient.open(demoted.uri())) {
            client.granted("lock", 1);
            demoted.redis.replicaof("127.0.0.1", servers.server.port());
            assertReplica(() -> client.acquire("other", 1));
            Await.until(
                    "it asks where the master is",
                    () -> String.valueOf(catchThrowable(() -> client.acquire("other", 2))
                                    .getMessage())
                            .contains("cannot connect: it is a replica"));
            assertReplica(() -> client.queued("lock", 2));
            assertReplica(() -> client.release("lock", 1));
            assertReplica(() -> client.renew("lock", 1));
            assertReplica(() -> Await.reply(client.store().forceRelease("lock")));
            assertReplica(() -> TestClient.open(demoted.uri()).close());
        }
    }

    private static void assertReplica(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NOT_APPLIED))
                .hasMessageContaining("it is a replica");
    }

    @Test
    void evictionOfLocksIsNoticed() {
        assertThat(RedisStore.evictsLocks(servers.redis.info("memory"))).isFalse();
        servers.redis.configSet("maxmemory-policy", "volatile-ttl");
        assertThat(RedisStore.evictsLocks(servers.redis.info("memory"))).isFalse();
        servers.redis.configSet("maxmemory", "100mb");
        assertThat(RedisStore.evictsLocks(servers.redis.info("memory"))).isTrue();
        servers.redis.configSet("maxmemory-policy", "noeviction");
        assertThat(RedisStore.evictsLocks(servers.redis.info("memory"))).isFalse();
    }
}
