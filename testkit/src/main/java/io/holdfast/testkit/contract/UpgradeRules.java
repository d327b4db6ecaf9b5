package io.holdfast.testkit.contract;

import static io.holdfast.testkit.contract.ShareRules.granted;
import static io.holdfast.testkit.contract.ShareRules.refused;
import static io.holdfast.testkit.contract.ShareRules.shared;
import static io.holdfast.testkit.contract.ShareRules.waits;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;

/** The rules of read/write locks for the one reader that may write later. */
final class UpgradeRules {

    private UpgradeRules() {}

    static void addTo(Rules rules) {
        rules.add("one reader at a time can be upgradeable", UpgradeRules::upgrades, UpgradeRules::one)
                .add(
                        "the upgradeable reader can write when no other reader is left",
                        UpgradeRules::upgrades,
                        UpgradeRules::writes)
                .add(
                        "a waiting upgrade is notified when the last other reader releases",
                        UpgradeRules::upgrades,
                        UpgradeRules::told)
                .add("no waiter is admitted before a waiting upgrade", UpgradeRules::upgrades, UpgradeRules::first)
                .add(
                        "readers are admitted when the upgraded writer releases",
                        UpgradeRules::upgrades,
                        UpgradeRules::readsOn)
                .add(
                        "readers are admitted when the upgrade is withdrawn",
                        UpgradeRules::upgrades,
                        UpgradeRules::withdrawn)
                .add("the next upgradeable reader is assigned the name", UpgradeRules::upgrades, UpgradeRules::next)
                .add("plain readers pass waiting upgradeable readers", UpgradeRules::upgrades, UpgradeRules::pass)
                .add(
                        "an upgradeable reader does not barge ahead of a waiting writer",
                        UpgradeRules::upgrades,
                        UpgradeRules::door)
                .add("a writer can become an upgradeable reader", UpgradeRules::upgrades, UpgradeRules::besideWriter)
                .add(
                        "an upgradeable reader that lost its hold cannot write",
                        UpgradeRules::upgrades,
                        UpgradeRules::reads)
                .add(
                        "an upgradeable reader that lost its hold is assigned nothing",
                        UpgradeRules::upgrades,
                        UpgradeRules::forced)
                .add("a duplicate request of a writer is granted again", UpgradeRules::upgrades, UpgradeRules::again)
                .add("an upgradeable hold ends with its own lease", UpgradeRules::upgrades, UpgradeRules::ends)
                .add("a report shows the upgradeable reader", UpgradeRules::upgrades, UpgradeRules::shows);
    }

    private static boolean upgrades(Capabilities can) {
        return can.queue() && can.modes().contains(Mode.UPGRADE);
    }

    private static void releases(TestClient client, Scene scene, TenureId tenure, Mode mode) {
        assertTrue(
                client.release(Release.of(scene.name(), tenure).withMode(mode)).held());
    }

    private static void withdraws(TestClient client, Scene scene, TenureId tenure, Mode mode) {
        assertFalse(
                client.release(Release.of(scene.name(), tenure).withMode(mode)).held());
    }

    private static void one(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId reader = granted(first, Share.READ);
        TenureId upgrader = granted(second, Share.UPGRADE);
        TenureId late = granted(first, Share.READ);
        refused(first, Share.UPGRADE);
        refused(first, Share.WRITE);
        second.granted(shared(second, upgrader, Share.UPGRADE));
        releases(second, scene, upgrader, Mode.UPGRADE);
        granted(first, Share.UPGRADE);
        releases(first, scene, reader, Mode.READ);
        releases(first, scene, late, Mode.READ);
        refused(second, Share.WRITE);
    }

    private static void writes(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        TenureId reader = granted(second, Share.READ);
        refused(first, Share.WRITE.beside(upgrader));
        releases(second, scene, reader, Mode.READ);
        refused(second, Share.WRITE);
        TenureId writer = granted(first, Share.WRITE.beside(upgrader));
        refused(second, Share.READ);
        refused(second, Share.UPGRADE);
        releases(first, scene, upgrader, Mode.UPGRADE);
        refused(second, Share.READ);
        releases(first, scene, writer, Mode.WRITE);
        granted(second, Share.WRITE);
    }

    private static void told(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        TenureId one = granted(second, Share.READ);
        TenureId two = granted(second, Share.READ);
        TenureId writer = waits(first, Share.WRITE.beside(upgrader));
        second.isWanted(one, Mode.READ);
        releases(second, scene, one, Mode.READ);
        scene.passSignals();
        assertFalse(first.signals().stream().anyMatch(Signal.Freed.class::isInstance));
        releases(second, scene, two, Mode.READ);
        first.signal(Signal.Freed.class);
        refused(second, Share.READ);
        first.granted(shared(first, writer, Share.WRITE.beside(upgrader)).queued(Queueing.BARGING, 0));
    }

    private static void first(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        TenureId reader = granted(second, Share.READ);
        TenureId before = waits(second, Share.WRITE);
        waits(second, Share.READ);
        TenureId writer = waits(first, Share.WRITE.beside(upgrader));
        refused(second, Share.READ);
        releases(second, scene, reader, Mode.READ);
        first.granted(shared(first, writer, Share.WRITE.beside(upgrader)));
        releases(first, scene, writer, Mode.WRITE);
        scene.passSignals();
        assertFalse(second.signals().stream().anyMatch(Signal.Assigned.class::isInstance));
        releases(first, scene, upgrader, Mode.UPGRADE);
        assertEquals(before, second.signal(Signal.Assigned.class).tenure());
    }

    private static void readsOn(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        TenureId writer = granted(first, Share.WRITE.beside(upgrader));
        TenureId reader = waits(second, Share.READ);
        releases(first, scene, writer, Mode.WRITE);
        assertEquals(reader, second.signal(Signal.Assigned.class).tenure());
        refused(second, Share.UPGRADE);
        refused(second, Share.WRITE);
    }

    private static void withdrawn(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        granted(second, Share.READ);
        TenureId writer = waits(first, Share.WRITE.beside(upgrader));
        TenureId reader = waits(second, Share.READ);
        withdraws(first, scene, writer, Mode.WRITE);
        assertEquals(reader, second.signal(Signal.Assigned.class).tenure());
    }

    private static void next(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId one = granted(first, Share.UPGRADE);
        granted(first, Share.READ);
        TenureId two = waits(second, Share.UPGRADE);
        TenureId three = waits(first, Share.UPGRADE);
        releases(first, scene, one, Mode.UPGRADE);
        Signal.Assigned assigned = second.signal(Signal.Assigned.class);
        assertEquals(two, assigned.tenure());
        assertEquals(Mode.UPGRADE, assigned.mode());
        releases(second, scene, two, Mode.UPGRADE);
        assertEquals(three, first.signal(Signal.Assigned.class).tenure());
    }

    private static void pass(Scene scene) {
        TestClient holder = scene.client();
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId held = granted(holder, Share.WRITE);
        TenureId one = waits(first, Share.UPGRADE);
        waits(first, Share.UPGRADE);
        TenureId reader = waits(second, Share.READ);
        releases(holder, scene, held, Mode.WRITE);
        assertEquals(one, first.signal(Signal.Assigned.class).tenure());
        assertEquals(reader, second.signal(Signal.Assigned.class).tenure());
        assertEquals(2, holder.inspect().holders().size());
        granted(holder, Share.READ);
    }

    private static void door(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        granted(first, Share.READ);
        waits(second, Share.WRITE);
        refused(first, Share.UPGRADE);
    }

    private static void besideWriter(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId writer = granted(first, Share.WRITE);
        TenureId upgrader = granted(first, Share.UPGRADE.beside(writer));
        refused(second, Share.READ);
        releases(first, scene, writer, Mode.WRITE);
        TenureId reader = granted(second, Share.READ);
        refused(second, Share.UPGRADE);
        releases(second, scene, reader, Mode.READ);
        granted(first, Share.WRITE.beside(upgrader));
    }

    private static void reads(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TenureId upgrader = first.tenure();
        first.granted(shared(first, upgrader, Share.UPGRADE).withLease(lease));
        TenureId reader = granted(second, Share.READ);
        TenureId writer = waits(first, Share.WRITE.beside(upgrader));
        scene.passLease(lease);
        assertGone(scene, first, shared(first, writer, Share.WRITE.beside(upgrader)));
        withdraws(first, scene, writer, Mode.WRITE);
        granted(second, Share.READ);
        releases(second, scene, reader, Mode.READ);
        assertGone(scene, first, shared(first, first.tenure(), Share.WRITE.beside(upgrader)));
    }

    private static void assertGone(Scene scene, TestClient client, Acquire request) {
        StoreException failure = assertInstanceOf(
                StoreException.class, scene.awaitFailure(client.store().acquire(request)));
        assertEquals(StoreException.Effect.REFUSED, failure.effect());
        assertTrue(String.valueOf(failure.getMessage()).contains("'" + scene.name() + "' is no longer held"));
    }

    private static void forced(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        granted(second, Share.READ);
        TenureId writer = waits(first, Share.WRITE.beside(upgrader));
        TenureId reader = waits(second, Share.READ);
        assertTrue(scene.await(second.store().forceRelease(scene.name())).isPresent());
        first.signal(Signal.Freed.class);
        assertEquals(reader, second.signal(Signal.Assigned.class).tenure());
        assertGone(scene, first, shared(first, writer, Share.WRITE.beside(upgrader)));
    }

    private static void again(Scene scene) {
        TestClient client = scene.client();
        TenureId upgrader = granted(client, Share.UPGRADE);
        TenureId writer = granted(client, Share.WRITE.beside(upgrader));
        releases(client, scene, upgrader, Mode.UPGRADE);
        client.granted(shared(client, writer, Share.WRITE.beside(upgrader)));
        releases(client, scene, writer, Mode.WRITE);
    }

    private static void ends(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TenureId upgrader = first.tenure();
        first.granted(shared(first, upgrader, Share.UPGRADE).withLease(lease));
        granted(second, Share.READ);
        assertInstanceOf(Renew.Lost.class, renews(first, scene, upgrader, Mode.READ, lease));
        scene.passLease(lease);
        TenureId later = granted(second, Share.UPGRADE);
        assertInstanceOf(Renew.Lost.class, renews(first, scene, upgrader, Mode.UPGRADE, lease));
        assertInstanceOf(Renew.Renewed.class, renews(second, scene, later, Mode.UPGRADE, Scene.LONG));
    }

    private static Renew.Reply renews(TestClient client, Scene scene, TenureId tenure, Mode mode, Duration lease) {
        return client.renew(new Renew(scene.name(), tenure, mode, lease, 0));
    }

    private static void shows(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId upgrader = granted(first, Share.UPGRADE);
        waits(second, Share.UPGRADE);
        assertEquals(first.id(), first.inspect().holder().orElseThrow().client().id());
        assertEquals(second.id(), first.inspect().waiters().get(0).client().id());
        assertTrue(scene.await(second.store().forceRelease(scene.name())).isPresent());
        first.isRevoked(upgrader, Mode.UPGRADE);
        second.signal(Signal.Assigned.class);
    }
}
