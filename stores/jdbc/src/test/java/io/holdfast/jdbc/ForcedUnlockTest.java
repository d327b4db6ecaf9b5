package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.WatchedSessions.Ran;
import io.holdfast.jdbc.WatchedSessions.Watched;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A forced unlock asks the holder first. The thread that receives the answer must not wait for a locked row: it would receive no
 * further message, and would use a connection that is left for renewals.
 */
@Timeout(180)
class ForcedUnlockTest {

    private final String uri = Servers.postgreSql().uri() + "&tablePrefix=forced_";

    private static void force(Watched admin, String name) {
        assertThat(Await.reply(admin.client().store().forceRelease(name))).isPresent();
        assertThat(admin.sessions().ran())
                .filteredOn(ran -> ran.what().startsWith("update "))
                .extracting(Ran::thread)
                .containsExactly(Thread.currentThread());
    }

    @Test
    void isWrittenByTheCallerWhenTheHolderHasAnswered() {
        try (Watched admin = WatchedSessions.client(uri);
                StoreClient holder = Databases.client(uri)) {
            holder.granted("answered", 1);
            holder.describeBy(name ->
                    Optional.of(new HoldDescription(holder.tenure(1), "owner", Instant.EPOCH, 1, Optional.empty())));
            force(admin, "answered");
        }
    }

    @Test
    void isWrittenByTheCallerWhenTheHolderIsSilent() {
        try (Watched admin = WatchedSessions.client(uri);
                StoreClient holder = Databases.client(uri)) {
            holder.granted("silent", 1);
            force(admin, "silent");
        }
    }
}
