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
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What connect, lock, tryLock and unlock do for a user that may not do all they need. */
class MissingRightsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

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
            user.lock("held").lock(LONG);
            allow("~*", "&*", "+@all", "-evalsha");
            assertConnects(uri);
            assertRefused(user.lock("free"));
            assertThatThrownBy(user.lock("held")::unlock)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("refused to release it")
                    .hasMessageMatching("(?s).*nobody else can acquire it before its lease ends, in at most \\d+ ms.*");
            allow("~*", "&*", "+@all");
            servers.redis.del("held");
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
        try (Holdfast user = Holdfast.builder().uri(uri).lease(LONG).build();
                Lease all = user.lock("all").acquire();
                Lease reading = user.readWriteLock("reading").readLock().acquire()) {
            allow("~hf:*", "&*", "+@all");
            awaitFailedRenewals(user, 2);
            allow("~*", "&*", "+@all", "-evalsha", "-eval");
            awaitFailedRenewals(user, 2);
            assertThat(all.isValid()).isTrue();
            assertThat(reading.isValid()).isTrue();
            long renewals = user.stats().renewals();
            allow("~*", "&*", "+@all");
            Await.until("both are renewed", () -> user.stats().renewals() >= renewals + 2);
            assertThat(all.isValid()).isTrue();
            assertThat(reading.isValid()).isTrue();
        }
    }

    private static void awaitFailedRenewals(Holdfast user, int more) {
        long failures = user.stats().renewalFailures();
        Await.until("renewals fail", () -> user.stats().renewalFailures() >= failures + more);
    }

    /** A script whose read is forbidden reports an error of its own. The server still keeps the hold. */
    @Test
    void aHoldIsKeptWhileAReadOfTheRenewalIsForbidden() throws Exception {
        String uri = allow("~*", "&*", "+@all");
        try (Holdfast user = Holdfast.connect(uri)) {
            user.semaphore("permits").trySetPermits(1);
            try (Lease alone = user.lock("alone").acquire();
                    Lease reading = user.readWriteLock("reading").readLock().acquire();
                    Permit permit = user.semaphore("permits").acquire()) {
                for (String right : List.of("-hexists", "-hlen", "-get", "-zcard", "-zrange")) {
                    allow("~*", "&*", "+@all", right);
                    tryToRenew(alone::ensureValid);
                    tryToRenew(reading::ensureValid);
                    tryToRenew(permit::ensureValid);
                    allow("~*", "&*", "+@all");
                    assertThat(alone.isValid()).as("lock, " + right).isTrue();
                    assertThat(reading.isValid()).as("read lock, " + right).isTrue();
                    assertThat(permit.isValid()).as("permit, " + right).isTrue();
                }
                assertThat(user.stats().renewalFailures()).isPositive();
                Refusals.renew(alone::remainingLease, alone::ensureValid);
                Refusals.renew(reading::remainingLease, reading::ensureValid);
                Refusals.renew(permit::remainingLease, permit::ensureValid);
            }
        }
    }

    /** Asks for more than is left without a renewal; the renewal may fail. */
    private static void tryToRenew(Consumer<Duration> ensureValid) {
        try {
            ensureValid.accept(Duration.ofMillis(29_690));
        } catch (StoreUnavailableException e) {
            assertThat(e).hasMessageContaining("did not confirm a validity");
        }
    }
}
