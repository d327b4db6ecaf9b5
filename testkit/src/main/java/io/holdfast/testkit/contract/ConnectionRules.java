package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

final class ConnectionRules {

    private ConnectionRules() {}

    static void addTo(Rules rules) {
        rules.add("capabilities are constant", ConnectionRules::capabilities)
                .add("describe() returns the location", ConnectionRules::describes)
                .add("signals can be confirmed", ConnectionRules::confirms)
                .add("a closed connection fails all calls", ConnectionRules::closed)
                .add("close() can be called twice", ConnectionRules::closedTwice)
                .add(
                        "holds of a closed connection stay until their leases end",
                        scene -> keepsHolds(scene, TestClient::close))
                .add(
                        "holds of a connection that an interrupted thread closes stay until their leases end",
                        scene -> keepsHolds(scene, ConnectionRules::closeInterrupted))
                .add(
                        "holds of a closed connection end with their leases for a client that comes later",
                        ConnectionRules::freesForNewcomers);
    }

    private static void capabilities(Scene scene) {
        TestClient client = scene.client();
        Capabilities before = client.capabilities();
        client.granted(client.tenure());
        assertEquals(before, client.capabilities());
    }

    private static void describes(Scene scene) {
        assertFalse(scene.client().store().describe().isBlank());
    }

    private static void confirms(Scene scene) {
        scene.await(scene.client().store().confirmSignals());
    }

    private static void closed(Scene scene) {
        TestClient client = scene.client();
        LockStore store = client.store();
        TenureId tenure = client.tenure();
        Acquire request = client.request(tenure);
        client.close();
        List<CompletionStage<?>> calls = List.of(
                store.acquire(request),
                store.renew(List.of(new Renew(scene.name(), tenure, Scene.LONG, 0))),
                store.release(Release.of(scene.name(), tenure)),
                store.inspect(scene.name()),
                store.list(scene.name()),
                store.forceRelease(scene.name()),
                store.confirmSignals());
        calls.forEach(call -> assertInstanceOf(StoreException.class, scene.awaitFailure(call)));
    }

    private static void closedTwice(Scene scene) {
        TestClient client = scene.client();
        client.close();
        client.close();
    }

    private static void keepsHolds(Scene scene, Consumer<TestClient> close) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        holder.granted(holder.tenure(), lease);
        close.accept(holder);
        TenureId tenure = other.tenure();
        other.refused(tenure);
        scene.passLease(lease);
        other.granted(tenure);
    }

    private static void closeInterrupted(TestClient client) {
        boolean interrupted;
        Thread.currentThread().interrupt();
        try {
            client.close();
        } finally {
            interrupted = Thread.interrupted();
        }
        assertTrue(interrupted, "the thread is interrupted after the close");
    }

    /** Where the server has no clock, nobody has watched these leases. */
    private static void freesForNewcomers(Scene scene) {
        TestClient holder = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        holder.granted(holder.request(holder.tenure()).withLease(lease).withMinHold(lease));
        holder.close();
        scene.passLease(lease);
        TestClient newcomer = scene.client();
        newcomer.granted(newcomer.tenure());
    }
}
