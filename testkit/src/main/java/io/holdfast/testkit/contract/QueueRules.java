package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;

/** The rules of the queue of waiting clients, and of the signals to them. */
final class QueueRules {

    private QueueRules() {}

    static void addTo(Rules rules) {
        rules.add("a position has an arrival, and keeps it", QueueRules::arrival)
                .add("a repeated request refreshes the position", QueueRules::onePlace)
                .add("a request without queueing gets no position", QueueRules::noPlace)
                .add("the holder's client is notified of a new position, once", QueueRules::wanted)
                .add("the holder learns the number of waiting clients", QueueRules::counted)
                .add("a release notifies the first waiting client, and no other", QueueRules::wakesOne)
                .add("a release without waiters sends no message", QueueRules::wakesNobody)
                .add("a notified client can lose the race and gets its old position back", QueueRules::comesBack)
                .add("a notified client that withdraws passes the notification on", QueueRules::passesOn)
                .add("a withdrawn position is not assigned", QueueRules::withdrawn)
                .add("a withdrawal does not affect the holder or other positions", QueueRules::harmless)
                .add("a withdrawal after the lease has ended notifies the next client", QueueRules::withdrawnWhenFree)
                .add("a granted tenure leaves the queue", QueueRules::grantedLeavesTheQueue)
                .add("a yielding release assigns the name to the first position", QueueRules::assigned)
                .add("a name of any characters is assigned", QueueRules::anyCharacters)
                .add("yielding releases assign in the order of arrival", QueueRules::firstComeFirstServed)
                .add("a yielding release without waiters frees the name", QueueRules::yieldToNobody)
                .add("a yielding release by a tenure that does not hold assigns nothing", QueueRules::yieldOfNothing)
                .add("an assignment lasts for one claim window at most", QueueRules::claimWindow)
                .add("an assigned name is free after the claim window", QueueRules::unclaimed)
                .add("an assigned name can be renewed to a full lease", QueueRules::claimed)
                .add("an assignment lasts no longer than the lease of its position", QueueRules::shortClaim)
                .add("a late duplicate of a yielding release does not affect the assigned hold", QueueRules::yieldTwice)
                .add("the position of a dead client delays others by one claim window at most", QueueRules::clientGone)
                .add("a refusal and an assignment report the same incarnation of the server", QueueRules::sameRun);
    }

    /** A holder and two clients that wait, in this order. */
    private record Three(
            TestClient holder, TenureId held, TestClient first, TenureId early, TestClient second, TenureId late) {

        static Three in(Scene scene) {
            return in(scene, Scene.LONG);
        }

        static Three in(Scene scene, Duration lease) {
            TestClient holder = scene.client();
            TestClient first = scene.client();
            TestClient second = scene.client();
            Three three = new Three(holder, holder.tenure(), first, first.tenure(), second, second.tenure());
            holder.granted(three.held, lease);
            first.enqueued(three.early);
            second.enqueued(three.late);
            return three;
        }
    }

    private static void shortClaim(Scene scene) {
        Three three = Three.in(scene);
        Duration lease = scene.shortLease(three.first.capabilities());
        three.first.refused(three.first.request(three.early).withLease(lease).queued(Acquire.Queueing.BARGING, 0));
        three.holder.handOver(three.held);
        three.first.isAssigned(three.early, lease);
        scene.passLease(lease);
        three.second.granted(three.second.tenure());
    }

    private static void arrival(Scene scene) {
        Three three = Three.in(scene);
        long arrival = three.first.enqueued(three.early).arrival();
        assertTrue(arrival > 0);
        scene.pass(Duration.ofMillis(5));
        assertEquals(arrival, three.first.enqueued(three.early).arrival());
        assertTrue(three.second.enqueued(three.late).arrival() >= arrival);
    }

    private static void onePlace(Scene scene) {
        Three three = Three.in(scene);
        three.first.enqueued(three.early);
        assertEquals(2, three.holder.inspect().waiters().size());
        three.holder.handOver(three.held);
        three.first.signal(Signal.Assigned.class);
        three.first.handOver(three.early);
        three.second.signal(Signal.Assigned.class);
    }

    private static void noPlace(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertEquals(0, other.refused(other.tenure()).arrival());
        assertEquals(List.of(), holder.inspect().waiters());
        holder.handOver(tenure);
        scene.passSignals();
        assertEquals(List.of(), other.signals());
        assertEquals(List.of(), holder.signals());
    }

    private static void wanted(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = other.tenure();
        TenureId held = holder.tenure();
        holder.granted(held);
        other.enqueued(tenure);
        holder.isWanted(held, Mode.LOCK);
        other.enqueued(tenure);
        scene.passSignals();
        holder.isNotToldAgain();
        assertEquals(List.of(), other.signals());
    }

    private static void counted(Scene scene) {
        Three three = Three.in(scene);
        assertEquals(2, three.holder.renewed(three.held, Scene.LONG).foreignWaiters());
        assertEquals(2, three.holder.granted(three.held).foreignWaiters());
        three.first.release(three.early);
        assertEquals(1, three.holder.renewed(three.held, Scene.LONG).foreignWaiters());
    }

    private static void wakesOne(Scene scene) {
        Three three = Three.in(scene);
        assertTrue(three.holder.release(three.held).held());
        assertEquals(new Signal.Freed(scene.name()), three.first.signal(Signal.Freed.class));
        scene.passSignals();
        assertEquals(List.of(), three.first.signals());
        assertEquals(List.of(), three.second.signals());
        three.first.granted(three.early);
    }

    private static void wakesNobody(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        other.refused(other.tenure());
        assertTrue(holder.release(tenure).held());
        scene.passSignals();
        assertEquals(List.of(), holder.signals());
        assertEquals(List.of(), other.signals());
    }

    private static void comesBack(Scene scene) {
        Three three = Three.in(scene);
        long arrival = three.first.enqueued(three.early).arrival();
        three.holder.release(three.held);
        three.first.signal(Signal.Freed.class);
        TenureId overtaker = three.holder.tenure();
        three.holder.granted(overtaker);
        assertEquals(arrival, three.first.enqueued(three.early, arrival).arrival());
        three.holder.handOver(overtaker);
        assertEquals(three.early, three.first.signal(Signal.Assigned.class).tenure());
        assertEquals(List.of(), three.second.signals());
    }

    private static void passesOn(Scene scene) {
        Three three = Three.in(scene);
        three.holder.release(three.held);
        three.first.signal(Signal.Freed.class);
        assertFalse(three.first.release(three.early).held());
        assertEquals(new Signal.Freed(scene.name()), three.second.signal(Signal.Freed.class));
    }

    private static void withdrawn(Scene scene) {
        Three three = Three.in(scene);
        assertFalse(three.first.release(three.early).held());
        three.holder.release(three.held);
        three.second.signal(Signal.Freed.class);
        assertEquals(List.of(), three.first.signals());
    }

    private static void harmless(Scene scene) {
        Three three = Three.in(scene);
        three.first.release(three.early);
        scene.passSignals();
        assertEquals(List.of(), three.second.signals());
        three.holder.renewed(three.held, Scene.LONG);
        assertEquals(1, three.holder.inspect().waiters().size());
    }

    private static void withdrawnWhenFree(Scene scene) {
        Duration lease = scene.shortLease(scene.client().capabilities());
        Three three = Three.in(scene, lease);
        scene.passLease(lease);
        three.first.release(three.early);
        three.second.signal(Signal.Freed.class);
    }

    private static void grantedLeavesTheQueue(Scene scene) {
        Duration lease = scene.shortLease(scene.client().capabilities());
        Three three = Three.in(scene, lease);
        scene.passLease(lease);
        three.second.granted(three.late);
        assertEquals(
                List.of(three.first.id()),
                three.holder.inspectClients().waiters().stream()
                        .map(waiter -> waiter.client().id())
                        .toList());
    }

    private static void assigned(Scene scene) {
        Three three = Three.in(scene);
        long before = three.first.enqueued(three.early).serverMicros();
        Acquire.Granted mine = three.holder.granted(three.held);
        three.holder.handOver(three.held);
        Signal.Assigned assigned = three.first.signal(Signal.Assigned.class);
        assertEquals(scene.name(), assigned.name());
        assertEquals(three.early, assigned.tenure());
        assertTrue(assigned.tokens().first() > mine.tokens().last(), "higher tokens");
        assertEquals(1, assigned.foreignWaiters());
        assertTrue(assigned.expiresMicros() > before);
        assertEquals(
                three.first.id(),
                three.holder.inspectClients().holder().orElseThrow().client().id());
        three.holder.refused(three.holder.tenure());
        assertEquals(List.of(), three.second.signals());
    }

    private static void anyCharacters(Scene scene) {
        TestClient holder = scene.client();
        TestClient waiter = scene.client();
        AcquireRules.wholeOddNames().forEach(name -> handOver(holder, waiter, name));
    }

    private static void handOver(TestClient holder, TestClient waiter, String name) {
        TenureId held = holder.tenure();
        TenureId next = waiter.tenure();
        holder.granted(holder.request(held, name));
        waiter.refused(waiter.request(next, name).queued(Acquire.Queueing.BARGING, 0));
        assertTrue(holder.release(Release.of(name, held).withYield(true)).held());
        Signal.Assigned assigned = waiter.signal(Signal.Assigned.class);
        assertEquals(name, assigned.name());
        assertEquals(next, assigned.tenure());
    }

    private static void firstComeFirstServed(Scene scene) {
        Three three = Three.in(scene);
        three.holder.handOver(three.held);
        three.first.signal(Signal.Assigned.class);
        three.holder.enqueued(three.holder.tenure());
        three.first.handOver(three.early);
        three.second.signal(Signal.Assigned.class);
        three.second.handOver(three.late);
        three.holder.signal(Signal.Assigned.class);
    }

    private static void yieldToNobody(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(holder.handOver(tenure).held());
        other.granted(other.tenure());
    }

    private static void yieldOfNothing(Scene scene) {
        Three three = Three.in(scene);
        TestClient stranger = scene.client();
        assertFalse(stranger.handOver(stranger.tenure()).held());
        scene.passSignals();
        assertEquals(List.of(), three.first.signals());
        three.holder.renewed(three.held, Scene.LONG);
    }

    private static void claimWindow(Scene scene) {
        Three three = Three.in(scene);
        Duration window = three.first.capabilities().claimWindow();
        three.holder.handOver(three.held);
        three.first.isAssigned(three.early, window);
    }

    private static void unclaimed(Scene scene) {
        Three three = Three.in(scene);
        three.holder.handOver(three.held);
        three.first.signal(Signal.Assigned.class);
        scene.passClaimWindow();
        three.first.lost(three.early);
        three.second.granted(three.late);
    }

    private static void claimed(Scene scene) {
        Three three = Three.in(scene);
        three.holder.handOver(three.held);
        three.first.signal(Signal.Assigned.class);
        Renew.Reply renewed = three.first.renew(three.early, Scene.LONG);
        assertEquals(1, assertInstanceOf(Renew.Renewed.class, renewed).foreignWaiters());
        scene.passClaimWindow();
        three.second.refused(three.late);
    }

    private static void yieldTwice(Scene scene) {
        Three three = Three.in(scene);
        assertTrue(three.holder.handOver(three.held).held());
        three.first.signal(Signal.Assigned.class);
        assertFalse(three.holder.handOver(three.held).held());
        scene.passSignals();
        assertEquals(List.of(), three.second.signals());
        three.first.renewed(three.early, Scene.LONG);
    }

    private static void clientGone(Scene scene) {
        Three three = Three.in(scene);
        three.first.close();
        three.holder.handOver(three.held);
        scene.passClaimWindow();
        three.second.isServed(three.second.request(three.late));
    }

    private static void sameRun(Scene scene) {
        Three three = Three.in(scene);
        long run = three.first.enqueued(three.early).run();
        three.holder.handOver(three.held);
        assertEquals(run, three.first.signal(Signal.Assigned.class).run());
    }
}
