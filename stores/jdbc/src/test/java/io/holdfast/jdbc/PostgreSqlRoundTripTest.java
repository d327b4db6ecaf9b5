package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The round trips of PostgreSQL. */
class PostgreSqlRoundTripTest extends RoundTripRules {

    @Override
    DatabaseServer server() {
        return Servers.postgreSql();
    }

    /** The reply and the message state the same run of the server, so that their times can be compared. */
    @Test
    void anAssignedLockNeedsNoFurtherRequest() throws InterruptedException {
        try (StoreClient holder = Databases.client(server().uri());
                StoreClient waiter = Databases.client(server().uri())) {
            holder.granted("handed", 1);
            Acquire.Reply reply = waiter.acquire(waiter.request("handed", 1).queued(Acquire.Queueing.FAIR, 0));
            assertThat(reply).isInstanceOf(Acquire.Refused.class);
            Await.reply(waiter.store().confirmSignals());
            waiter.signals().clear();
            assertThat(holder.release("handed", 1).held()).isTrue();
            Signal signal = waiter.signals().poll(20, TimeUnit.SECONDS);
            assertThat(signal)
                    .isInstanceOfSatisfying(
                            Signal.Assigned.class,
                            assigned ->
                                    assertThat(assigned.run()).isNotZero().isEqualTo(((Acquire.Refused) reply).run()));
        }
    }
}
