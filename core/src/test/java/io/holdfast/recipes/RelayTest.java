package io.holdfast.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A future that ends in the moment in which its request is answered, or is followed by another. */
class RelayTest {

    private final Object done = CompletableFuture.completedFuture(null);
    private final AtomicInteger released = new AtomicInteger();
    private final Lease lease =
            (Lease) Proxy.newProxyInstance(Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, this::invoke);
    private final Relay<Lease> relay = new Relay<>();

    /** A lease that can only be released. */
    private Object invoke(Object proxy, Method method, Object[] arguments) {
        assertThat(method.getName()).isEqualTo("closeAsync");
        released.incrementAndGet();
        return done;
    }

    @Test
    void aLeaseForAFutureThatHasEndedIsGivenBack() {
        relay.future().cancel(false);
        relay.deliver(lease, () -> lease);
        assertThat(released).hasValue(1);
    }

    @Test
    void aLeaseForAnOpenFutureIsItsValue() {
        relay.deliver(lease, () -> lease);
        assertThat(relay.future().join()).isSameAs(lease);
        assertThat(released).hasValue(0);
    }

    @Test
    void aRequestForAFutureThatHasEndedIsWithdrawn() {
        relay.future().cancel(false);
        CompletableFuture<Lease> next = new CompletableFuture<>();
        relay.track(next, lease -> {}, error -> {});
        assertThat(next).isCancelled();
    }
}
