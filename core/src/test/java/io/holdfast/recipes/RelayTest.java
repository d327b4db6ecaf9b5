package io.holdfast.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A future that ends in the moment in which its request is answered, or is followed by another. */
class RelayTest {

    private final Holdfast client = Holdfast.connect("memory:");
    private final DistributedLock lock = client.lock("n");
    private final Relay<Lease> relay = new Relay<>();

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void aLeaseForAFutureThatHasEndedIsGivenBack() {
        Lease lease = lock.tryAcquire().orElseThrow();
        relay.future().cancel(false);
        relay.deliver(lease, lease);
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void aLeaseForAnOpenFutureIsItsValue() {
        Lease lease = lock.tryAcquire().orElseThrow();
        relay.deliver(lease, lease);
        assertThat(relay.future()).isCompletedWithValue(lease);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aRequestForAFutureThatHasEndedIsWithdrawn() {
        relay.future().cancel(false);
        CompletableFuture<Lease> next = new CompletableFuture<>();
        relay.pursue(next, lease -> {}, error -> {});
        assertThat(next).isCancelled();
    }
}
