package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** So many wait to read and perhaps to write that a script does not look at all of them. */
class ManyUpgradersTest {

    private static final int MANY = 120;

    private final Servers servers = Servers.start();
    private final TestClient first = TestClient.open(servers.uri());
    private final TestClient second = TestClient.open(servers.uri());

    @AfterEach
    void close() {
        first.close();
        second.close();
        servers.close();
    }

    private static Acquire.Reply ask(TestClient client, long number, Share share) {
        return client.acquire(Acquire.of("lock", client.tenure(number), Duration.ofMinutes(1))
                .withShare(share)
                .queued(Acquire.Queueing.BARGING, 0));
    }

    private static void takes(TestClient client, long number, Share share) {
        assertThat(ask(client, number, share)).as("%d", number).isInstanceOf(Acquire.Granted.class);
    }

    private static void waits(TestClient client, long number, Share share) {
        assertThat(ask(client, number, share)).as("%d", number).isInstanceOf(Acquire.Refused.class);
    }

    private static void leaves(TestClient client, long number, Mode mode) {
        Await.reply(
                client.store().release(Release.of("lock", client.tenure(number)).withMode(mode)));
    }

    private void upgradersWait() {
        takes(first, 1, Share.of(Mode.UPGRADE));
        for (int i = 1; i <= MANY; i++) {
            waits(second, i, Share.of(Mode.UPGRADE));
        }
    }

    @Test
    void readersPassThem() {
        upgradersWait();
        takes(first, 2, Share.READ);
        takes(second, MANY + 1, Share.READ);
    }

    @Test
    void readersDoNotPassAWriterBehindThem() {
        upgradersWait();
        waits(second, 500, Share.WRITE);
        waits(first, 2, Share.READ);
        leaves(second, 500, Mode.WRITE);
        leaves(first, 1, Mode.UPGRADE);
        assertThat(second.next(Signal.Assigned.class).mode()).isEqualTo(Mode.UPGRADE);
    }

    @Test
    void aReleaseLooksAtThemOnce() {
        upgradersWait();
        takes(first, 2, Share.READ);
        long before = servers.calls("evalsha");
        leaves(first, 2, Mode.READ);
        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
        assertThat(servers.calls("evalsha") - before).isEqualTo(1);
        leaves(first, 1, Mode.UPGRADE);
        assertThat(second.next(Signal.Assigned.class).tenure()).isEqualTo(second.tenure(1));
        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
        assertThat(servers.calls("evalsha") - before).isLessThanOrEqualTo(3);
    }
}
