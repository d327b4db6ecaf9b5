package io.holdfast.redis;

import static io.holdfast.redis.Refusals.assertConnects;
import static io.holdfast.redis.Refusals.assertThrows;
import static io.holdfast.redis.Refusals.assertWorksAndNothingIsLeft;
import static io.holdfast.redis.Refusals.connect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What connect, lock, tryLock and unlock do for a user that may not do all they need. */
class MissingRightsTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration BRIEF = Duration.ofSeconds(2);

    private final Servers servers = Servers.start();

    @AfterEach
    void close() {
        servers.close();
    }

    private String allow(String... rights) {
        return servers.allow("app", rights);
    }

    private static void assertRefused(DistributedLock lock) {
        for (ThrowingCallable call : new ThrowingCallable[] {
            lock::lock, lock::tryLock, () -> lock.tryLock(LONG), lock::acquire, lock::holder, lock::forceUnlock
        }) {
            assertThrows(StoreRefusedException.class, lock, call)
                    .hasMessageContaining("the user lacks a right; allow")
                    .hasMessageContaining("'evalsha'")
                    .hasMessageNotContaining("secret");
        }
    }

    @Test
    void aUserWithoutScriptsIsRefusedAtEachCall() throws Exception {
        String uri = allow("~*", "&*", "+@all");
        try (Holdfast user = connect(uri)) {
            user.lock("held").lock(BRIEF);
            allow("~*", "&*", "+@all", "-evalsha");
            assertConnects(uri);
            assertRefused(user.lock("free"));
            assertThatThrownBy(user.lock("held")::unlock)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("refused to release it")
                    .hasMessageMatching(
                            "(?s).*nobody else can acquire it before its lease ends, in at most \\d{4} ms.*");
            allow("~*", "&*", "+@all");
            assertWorksAndNothingIsLeft(servers, user);
        }
    }

    @Test
    void aUserWithoutTheKeysIsRefusedAtTheCall() {
        try (Holdfast user = connect(allow("~app:*", "~hf:*", "&*", "+@all"))) {
            DistributedLock foreign = user.lock("foreign");
            assertThrows(StoreRefusedException.class, foreign, foreign::lock)
                    .hasMessageContainingAll("the user lacks a right", "no permissions to access one of the keys");
            user.lock("app:1").lock();
            user.lock("app:1").unlock();
        }
    }

    @Test
    void aUserWithoutChannelsWorksByPolling() throws Exception {
        String uri = allow("~*", "resetchannels", "+@all");
        try (Holdfast user = connect(uri);
                Holdfast waiter = connect(uri)) {
            DistributedLock mine = user.lock("held");
            mine.lock();
            assertThat(waiter.lock("held").tryLock()).isFalse();
            assertThat(waiter.lock("held").tryLock(Duration.ofMillis(10))).isFalse();
            CompletableFuture<Lease> waiting = waiter.lock("held").async().acquire();
            Await.until("it waits", () -> servers.redis.exists(Servers.queueKey("held")) == 1);
            mine.unlock();
            try (Lease lease = Await.reply(waiting)) {
                assertThat(user.lock("held").holder().orElseThrow().client().id())
                        .isEqualTo(waiter.clientId());
                assertThat(lease.isValid()).isTrue();
            }
            assertWorksAndNothingIsLeft(servers, user);
        }
    }

    /** The server keeps the lock, and the right may come back before its lease ends. */
    @Test
    void aHoldThatMayNotBeRenewedForAWhileIsKept() throws Exception {
        String uri = allow("~*", "&*", "+@all");
        try (Holdfast user =
                        Holdfast.builder().uri(uri).lease(Duration.ofSeconds(3)).build();
                Lease all = user.lock("all").acquire();
                Lease reading = user.readWriteLock("reading").readLock().acquire()) {
            Thread.sleep(500);
            allow("~hf:*", "&*", "+@all");
            Thread.sleep(1_000);
            allow("~*", "&*", "+@all", "-evalsha", "-eval");
            Thread.sleep(700);
            assertThat(all.isValid()).isTrue();
            assertThat(reading.isValid()).isTrue();
            allow("~*", "&*", "+@all");
            Thread.sleep(3_000);
            assertThat(all.isValid()).isTrue();
            assertThat(reading.isValid()).isTrue();
        }
    }

    /** A script whose read is forbidden reports an error of its own. The server still keeps the hold. */
    @Test
    void aHoldIsKeptWhileAReadOfTheRenewalIsForbidden() throws Exception {
        String uri = allow("~*", "&*", "+@all");
        try (Holdfast user =
                Holdfast.builder().uri(uri).lease(Duration.ofSeconds(3)).build()) {
            user.semaphore("permits").trySetPermits(1);
            try (Lease alone = user.lock("alone").acquire();
                    Lease reading = user.readWriteLock("reading").readLock().acquire();
                    Permit permit = user.semaphore("permits").acquire()) {
                for (String right : List.of("-hexists", "-hlen", "-get", "-zcard", "-zrange")) {
                    allow("~*", "&*", "+@all", right);
                    Thread.sleep(1_500);
                    allow("~*", "&*", "+@all");
                    Thread.sleep(1_500);
                    assertThat(alone.isValid()).as("lock, " + right).isTrue();
                    assertThat(reading.isValid()).as("read lock, " + right).isTrue();
                    assertThat(permit.isValid()).as("permit, " + right).isTrue();
                }
            }
        }
    }
}
