package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.faults.Wire;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client whose answers are lost, or whose requests arrive late. */
class LostAnswerTest {

    private final Wire wire = new Wire(Servers.port());
    private final StoreClient client = new StoreClient(
            new MongoStoreProvider(), "mongodb://127.0.0.1:" + wire.port() + "/holdfast_test", config -> config);
    private final StoreClient other = new StoreClient(
            new MongoStoreProvider(), "mongodb://127.0.0.1:" + Servers.port() + "/holdfast_test", config -> config);

    @AfterEach
    void close() {
        client.close();
        other.close();
        wire.close();
    }

    private static boolean isConnected(StoreClient client) {
        try {
            Await.reply(client.store().confirmSignals());
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    private void mend() {
        wire.cut();
        wire.blockAnswers(false);
        wire.blockRequests(false);
        Await.until("it is connected again", () -> isConnected(client));
    }

    @Test
    void anAcquireWithoutAnAnswerIsFoundAgain() {
        Acquire.Granted first = client.granted("lost", 1);
        client.release("lost", 1);
        wire.blockAnswers(true);
        assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("lost", 2))
                        .effect())
                .isEqualTo(Effect.UNKNOWN);
        mend();
        assertThat(other.refused("lost", 1).holder()).contains(client.tenure(2).toString());
        Acquire.Granted again = client.granted("lost", 2);
        assertThat(again.tokens().first()).isGreaterThan(first.tokens().last());
        assertThat(client.release("lost", 2).held()).isTrue();
    }

    /** It is late in the case of a free lock, too. */
    @Test
    void anAcquireThatIsStuckIsNotAppliedAfterItsRelease() throws InterruptedException {
        client.granted("stuck", 1);
        client.release("stuck", 1);
        wire.blockRequests(true);
        assertThat(catchThrowableOfType(StoreException.class, () -> client.acquire("stuck", 2))
                        .effect())
                .isEqualTo(Effect.UNKNOWN);
        // another connection is not blocked, because only what was sent before is
        other.granted("stuck", 1);
        other.release("stuck", 1);
        wire.unblockOnePiece();
        Thread.sleep(300);
        assertThat(Await.reply(other.store().inspect("stuck")).holder()).isEmpty();
    }
}
