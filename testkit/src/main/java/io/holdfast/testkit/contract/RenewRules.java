package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;

final class RenewRules {

    private RenewRules() {}

    static void addTo(Rules rules) {
        rules.add("a renewed hold outlives its first lease", RenewRules::keepsTheHold)
                .add("a renewed hold ends when the new lease has ended", RenewRules::endsLater)
                .add("a renewal is valid for its lease, or for less", RenewRules::valid)
                .add("a renewal never shortens the lease", RenewRules::neverShortens)
                .add(
                        "a shorter renewal outlives the lease that others have watched",
                        RenewRules::outlivesTheWatchedLease)
                .add("a second copy has the effect of one", RenewRules::secondCopy)
                .add("a hold whose lease has ended is lost, also when the name is free", RenewRules::expired)
                .add("a released hold is lost", RenewRules::released)
                .add("a tenure that never held is lost, and is not created", RenewRules::neverHeld)
                .add("a name held by another is lost, and its lease is not touched", RenewRules::heldByAnother)
                .add("a batch is answered in its order, each by itself", RenewRules::batch)
                .add("an empty batch has no replies", RenewRules::emptyBatch)
                .add("a renewal without requested tokens returns none", RenewRules::noTokens)
                .add("further tokens are higher than those before", RenewRules::tokens);
    }

    private static void keepsTheHold(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = outlivesItsFirstLease(scene, holder, scene.client());
        holder.renewed(tenure, Scene.LONG);
    }

    /** Returns a tenure whose first lease has ended, and which excludes the other client because it was renewed. */
    static TenureId outlivesItsFirstLease(Scene scene, TestClient holder, TestClient other) {
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, lease);
        holder.renewed(tenure, Scene.LONG);
        scene.passLease(lease);
        other.refused(other.tenure());
        return tenure;
    }

    private static void endsLater(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, lease);
        holder.renewed(tenure, lease);
        scene.passLease(lease);
        other.granted(other.tenure());
    }

    private static void valid(Scene scene) {
        TestClient holder = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        AcquireRules.requireWithin(lease, holder.renewed(tenure, lease).valid());
    }

    private static void neverShortens(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, Scene.LONG);
        holder.renewed(tenure, lease);
        scene.passLease(lease);
        other.refused(other.tenure());
    }

    /** Where the server has no clock, the record of a name that nobody writes does not show how much of a lease has passed. */
    private static void outlivesTheWatchedLease(Scene scene) {
        TestClient holder = scene.client();
        TestClient watcher = scene.client();
        TestClient waiter = scene.client();
        TenureId tenure = holder.tenure();
        Duration lease = scene.shortLease(holder.capabilities());
        holder.granted(tenure, lease.plus(lease.dividedBy(2)));
        watcher.refused(watcher.tenure());
        scene.pass(lease.dividedBy(2));
        waiter.enqueued(waiter.tenure());
        scene.pass(lease.dividedBy(4));
        holder.renewed(tenure, lease);
        scene.pass(lease.dividedBy(5).multipliedBy(4));
        watcher.refused(watcher.tenure());
        holder.renewed(tenure, lease);
    }

    private static void secondCopy(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(holder.renewed(tenure, Scene.LONG).serverMicros() > 0);
        assertTrue(holder.renewed(tenure, Scene.LONG).serverMicros() > 0);
    }

    private static void expired(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, lease);
        scene.passLease(lease);
        holder.lost(tenure);
        other.granted(other.tenure());
        holder.lost(tenure);
    }

    private static void released(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(holder.release(tenure).held());
        holder.lost(tenure);
        assertTrue(holder.inspect().holder().isEmpty());
    }

    private static void neverHeld(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        client.lost(client.tenure());
        other.granted(other.tenure());
    }

    private static void heldByAnother(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        holder.granted(holder.tenure(), lease);
        TenureId late = other.tenure();
        other.lost(late);
        assertEquals(
                holder.id(),
                other.inspectClients().holder().orElseThrow().client().id());
        scene.passLease(lease);
        other.granted(late);
    }

    private static void batch(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        TenureId first = client.tenure();
        TenureId second = client.tenure();
        TenureId third = client.tenure();
        client.granted(client.request(first, scene.name("1")));
        other.granted(other.request(other.tenure(), scene.name("2")));
        client.granted(client.request(third, scene.name("3")));
        List<Renew.Reply> replies = scene.await(client.store()
                .renew(List.of(
                        new Renew(scene.name("1"), first, Scene.LONG, 0),
                        new Renew(scene.name("2"), second, Scene.LONG, 0),
                        new Renew(scene.name("3"), third, Scene.LONG, 0))));
        assertEquals(3, replies.size());
        assertInstanceOf(Renew.Renewed.class, replies.get(0));
        assertInstanceOf(Renew.Lost.class, replies.get(1));
        assertInstanceOf(Renew.Renewed.class, replies.get(2));
    }

    private static void emptyBatch(Scene scene) {
        assertEquals(List.of(), scene.await(scene.client().store().renew(List.of())));
    }

    private static void noTokens(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(holder.renewed(tenure, Scene.LONG).tokens().isEmpty());
    }

    private static void tokens(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        Acquire.Granted granted = holder.granted(tenure);
        Renew.Reply reply = holder.renew(new Renew(scene.name(), tenure, Scene.LONG, 100));
        Renew.Renewed renewed = assertInstanceOf(Renew.Renewed.class, reply);
        renewed.tokens()
                .ifPresent(more -> assertTrue(more.first() > granted.tokens().last(), "higher"));
    }
}
