package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.script.KeyPart;
import io.holdfast.redis.store.RedisStore;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What single scripts do to the keys of a semaphore. */
class PermitScriptsTest {

    private static final String NAME = "permits";
    private static final String HELD = "hf:{permits}:ph:permits";
    private static final String ENDS = "hf:{permits}:pe:permits";
    private static final Duration LONG = Duration.ofMinutes(2);

    private final Servers servers = Servers.start();
    private final TestClient holder = TestClient.open(servers.uri());
    private final TestClient waiter = TestClient.open(servers.uri());

    @BeforeEach
    void aWaiterStandsBehindTheHolderOfTheOnlyPermit() {
        long never = Long.MAX_VALUE >> 11;
        Change one = new Change(Change.Kind.SET_PERMITS, NAME, holder.tenure(9), 1, Optional.empty(), never);
        Await.reply(holder.store().counters().change(one));
        assertThat(holder.acquire(request(holder))).isInstanceOf(Acquire.Granted.class);
        Acquire fair = request(waiter).queued(Acquire.Queueing.FAIR, 0);
        assertThat(waiter.acquire(fair)).isInstanceOf(Acquire.Refused.class);
    }

    @AfterEach
    void close() {
        waiter.close();
        holder.close();
        servers.close();
    }

    private static Acquire request(TestClient client) {
        return client.request(NAME, 1).withShare(Share.permits(1));
    }

    @Test
    void aRenewalByKeyClaimsAnAssignment() {
        Await.reply(holder.store().release(Release.of(NAME, holder.tenure(1)).withMode(Share.Mode.PERMITS)));
        waiter.next(Signal.Assigned.class);
        String tenure = waiter.tenure(1).toString();
        assertThat(servers.redis.zscore(HELD, tenure)).isEqualTo(-1);
        RedisStore store = (RedisStore) waiter.store();
        for (KeyPart part : store.parts(NAME, waiter.tenure(1), Share.Mode.PERMITS)) {
            assertThat(Await.reply(store.byKey(part, NAME, LONG, false))).isTrue();
        }
        assertThat(servers.redis.zscore(HELD, tenure)).isEqualTo(1);
        assertThat(servers.redis.zscore(HELD, "=")).isEqualTo(1);
    }

    @Test
    void aFullServerRenewsByKey() {
        servers.redis.configSet("maxmemory", "1");
        RedisStore store = (RedisStore) holder.store();
        for (KeyPart part : store.parts(NAME, holder.tenure(1), Share.Mode.PERMITS)) {
            assertThat(Await.reply(store.byKey(part, NAME, LONG, false))).isTrue();
        }
        KeyPart timer = store.parts(NAME, holder.tenure(1), Share.Mode.READ).get(2);
        assertThat(Await.reply(store.byKey(timer, NAME, LONG, false))).isTrue();
    }

    @Test
    void aRenewalOfWhatIsNotHeldExtendsNothing() {
        long before = servers.redis.pexpiretime(ENDS);
        Renew lost = new Renew(NAME, holder.tenure(2), Share.Mode.PERMITS, LONG, 0);
        assertThat(holder.renew(List.of(lost))).hasOnlyElementsOfType(Renew.Lost.class);
        assertThat(servers.redis.pexpiretime(ENDS)).isEqualTo(before);
    }

    /** A message about an assignment that is not written would make a second holder. */
    @Test
    void nothingIsSentIfTheServerRefusesToWrite() {
        servers.redis.del(HELD, ENDS);
        servers.redis.configSet("min-replicas-to-write", "1");
        assertThatThrownBy(() -> holder.acquire(request(holder))).isInstanceOf(StoreException.class);
        assertThat(waiter.arrived()).doesNotHaveAnyElementsOfTypes(Signal.Assigned.class);
        assertThat(servers.redis.exists(HELD)).isZero();
    }
}
