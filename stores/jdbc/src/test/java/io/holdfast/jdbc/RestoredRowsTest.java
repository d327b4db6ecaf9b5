package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.WatchedSessions.Watched;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that go back to an earlier state while a client of PostgreSQL looks at them. */
@Timeout(180)
class RestoredRowsTest {

    private static final String TABLE = "restored_locks";

    /** More than the pause between two looks. */
    private static final Duration QUIET = Duration.ofMillis(200);

    private static final int ATTEMPTS = 50;

    private final String uri = Servers.postgreSql().uri() + "&tablePrefix=restored_&signals=look";
    private final Watched waiter = WatchedSessions.client(uri);
    private final StoreClient holder = Databases.client(uri);
    private final Databases database = Databases.at(uri.split("&", 2)[0], "");

    @AfterEach
    void close() throws SQLException {
        database.close();
        holder.close();
        waiter.close();
    }

    private Acquire place(String name) {
        return waiter.client().request(name, 1).queued(Acquire.Queueing.FAIR, 0);
    }

    /** Lets the waiter wait for a name that is held, and takes the rows back to the time before it did. */
    private void restoreWhileItWaits(String name) {
        holder.granted(name, 1);
        Runnable restore = database.backup(TABLE);
        for (int i = 0; i < 5; i++) {
            assertThat(waiter.client().acquire(place(name))).isInstanceOf(Acquire.Refused.class);
            holder.renew(name, 1);
        }
        restore.run();
    }

    private void awaitGap() {
        Await.until(
                "the waiter is told to ask again",
                () -> waiter.client().signals().stream().anyMatch(Signal.Gap.class::isInstance));
    }

    private boolean looks() throws InterruptedException {
        waiter.sessions().forget();
        Thread.sleep(QUIET.toMillis());
        return waiter.sessions().ran().stream().anyMatch(ran -> ran.what().equals("look"));
    }

    private void assertLooksNoLonger() throws InterruptedException {
        boolean looks = true;
        for (int i = 0; looks && i < ATTEMPTS; i++) {
            looks = looks();
        }
        assertThat(looks).as("looks without an end").isFalse();
    }

    @Test
    void areServedToOneWhoWaits() throws InterruptedException {
        restoreWhileItWaits("served");
        awaitGap();
        assertThat(waiter.client().acquire(place("served"))).isInstanceOf(Acquire.Refused.class);
        assertThat(Await.reply(holder.store()
                                .release(Release.of("served", holder.tenure(1)).withYield(true)))
                        .held())
                .isTrue();
        Await.until(
                "it is assigned", () -> waiter.client().signals().stream().anyMatch(Signal.Assigned.class::isInstance));
        waiter.client().granted("served", 1);
        assertThat(waiter.client().release("served", 1).held()).isTrue();
        assertLooksNoLonger();
    }

    @Test
    void areNotLookedAtWhenNobodyWaitsThere() throws InterruptedException {
        restoreWhileItWaits("left");
        awaitGap();
        assertLooksNoLonger();
        restoreWhileItWaits("withdrawn");
        waiter.client().release("withdrawn", 1);
        assertLooksNoLonger();
    }
}
