package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client whose server has lost its data. The server closes each connection of a client that has seen later writes. */
class DataLossTest {

    private static final Duration SESSION = Duration.ofSeconds(2);

    private final Ensemble ensemble = new Ensemble(1);
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final Holdfast client = Holdfast.builder()
            .uri(ensemble.uri(SESSION))
            .connectTimeout(Duration.ofSeconds(30))
            .listener(events::add)
            .build();

    @AfterEach
    void close() {
        client.close();
        ensemble.close();
    }

    @Test
    void theClientAcquiresAgain() throws InterruptedException {
        Lease held = client.lock("held").acquire();
        ensemble.kill(0);
        ensemble.wipe(0);
        ensemble.start(0);
        Await.until("it acquires in another session", this::acquires);
        assertThat(held.isValid()).isFalse();
        Await.until("the loss is told", () -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        assertThat(held.fencingToken()).isLessThan(client.lock("held").acquire().fencingToken());
    }

    private boolean acquires() {
        try (Lease lease = client.lock("other").tryAcquire().orElseThrow()) {
            return lease.isValid();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }
}
