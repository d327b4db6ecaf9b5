package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The rules of tenures that may linger without an owner, and of the notifications when another client wants the name. */
final class LingerRules {

    private LingerRules() {}

    static void addTo(Rules rules) {
        rules.add("a refusal shows that the holder may linger", LingerRules::shown)
                .add("a tenure that may linger behaves like any other", LingerRules::likeAnyOther)
                .add(
                        "a lingering holder is notified of each refused request without a position",
                        Rules.PUSHED,
                        LingerRules::told)
                .add("any other holder is not notified of a refused request without a position", LingerRules::notTold)
                .add("a client is not notified of its own refused requests", LingerRules::notToldToItself)
                .add(
                        "a lingering holder is notified at each poll of a waiting position",
                        Rules.PUSHED,
                        LingerRules::placeTold)
                .add("a name can be assigned to a tenure that may linger", LingerRules::assigned)
                .add("a forced release names the tenure that may linger", LingerRules::forced)
                .add(
                        "a report shows the description by the client of a tenure that may linger",
                        Rules.PUSHED,
                        LingerRules::described);
    }

    private static TenureId lingering(TestClient client) {
        return client.tenure().lingering();
    }

    private static void shown(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        TenureId tenure = lingering(client);
        client.granted(tenure);
        Optional<String> holder = other.refused(other.tenure()).holder();
        assertEquals(Optional.of(tenure), holder.map(TenureId::parse));
        assertTrue(holder.filter(TenureId::lingers).isPresent());
        assertTrue(client.release(tenure).held());
        client.granted(client.tenure());
        assertFalse(
                other.refused(other.tenure()).holder().filter(TenureId::lingers).isPresent());
    }

    private static void likeAnyOther(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        TenureId tenure = lingering(client);
        long first = client.granted(tenure).tokens().last();
        assertTrue(client.granted(tenure).tokens().first() > first);
        client.renewed(tenure, Scene.LONG);
        other.refused(lingering(other));
        assertTrue(client.release(tenure).held());
        assertFalse(client.release(tenure).held());
        other.granted(lingering(other));
    }

    private static void told(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        holder.granted(lingering(holder));
        for (int i = 0; i < 2; i++) {
            assertEquals(0, other.refused(other.tenure()).arrival());
            assertEquals(scene.name(), holder.signal(Signal.Wanted.class).name());
        }
    }

    private static void notTold(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        holder.granted(holder.tenure());
        other.refused(lingering(other));
        scene.passSignals();
        assertEquals(List.of(), holder.signals());
    }

    private static void notToldToItself(Scene scene) {
        TestClient holder = scene.client();
        holder.granted(lingering(holder));
        holder.refused(holder.tenure());
        scene.passSignals();
        assertEquals(List.of(), holder.signals());
    }

    private static void placeTold(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId waiting = other.tenure();
        holder.granted(lingering(holder));
        for (int i = 0; i < 2; i++) {
            other.enqueued(waiting);
            assertEquals(scene.name(), holder.signal(Signal.Wanted.class).name());
        }
        scene.passSignals();
        assertEquals(List.of(), holder.signals());
    }

    private static void assigned(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId held = lingering(holder);
        TenureId waiting = lingering(other);
        holder.granted(held);
        other.enqueued(waiting);
        assertTrue(holder.handOver(held).held());
        assertEquals(waiting, other.signal(Signal.Assigned.class).tenure());
        other.renewed(waiting, Scene.LONG);
    }

    private static void forced(Scene scene) {
        TestClient holder = scene.client();
        TenureId held = lingering(holder);
        holder.granted(held);
        assertTrue(
                scene.await(scene.client().store().forceRelease(scene.name())).isPresent());
        holder.isRevoked(held, Mode.LOCK);
    }

    private static void described(Scene scene) {
        TestClient holder = scene.client();
        TenureId held = lingering(holder);
        holder.granted(held);
        holder.tells(new HoldDescription(held, "nobody", Instant.EPOCH, 42));
        assertEquals(Optional.of("nobody"), scene.client().describedHolder().owner());
    }
}
