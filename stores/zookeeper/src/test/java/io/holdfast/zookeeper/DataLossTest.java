package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.testkit.Await;
import io.holdfast.testservers.ZooKeeperServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client whose server has lost its data. The server closes each connection of a client that has seen later writes. */
class DataLossTest {

    private static final Duration SESSION = Duration.ofSeconds(6);

    private final ZooKeeperServers ensemble = new ZooKeeperServers(1);
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
    void theClientAcquiresAgain() {
        List<Lease> leases = new ArrayList<>();
        Await.until(
                "it acquires",
                () -> client.lock("held").tryAcquire().filter(leases::add).isPresent());
        Lease held = leases.get(0);
        ensemble.kill(0);
        ensemble.wipe(0);
        ensemble.start(0);
        Await.until("it acquires in another session", () -> token("other").isPresent());
        assertThat(held.isValid()).isFalse();
        Await.until("the loss is told", () -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));
        Await.until(
                "it acquires what it lost",
                () -> token("held").stream().anyMatch(later -> later > held.fencingToken()));
    }

    private OptionalLong token(String name) {
        Optional<Lease> granted = client.lock(name).tryAcquire();
        granted.ifPresent(Lease::close);
        return granted.map(lease -> OptionalLong.of(lease.fencingToken())).orElse(OptionalLong.empty());
    }
}
