package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.TenureId;
import java.time.Duration;

final class ReleaseRules {

    private ReleaseRules() {}

    static void addTo(Rules rules) {
        rules.add("a released name is free", ReleaseRules::frees)
                .add(
                        "the first copy reports that the name was held, a duplicate that it was not",
                        ReleaseRules::secondCopy)
                .add("a second copy does not free the name of the next holder", ReleaseRules::secondCopyLater)
                .add("a release by another tenure changes nothing", ReleaseRules::notTheOwner)
                .add("a release by another tenure of the same client changes nothing", ReleaseRules::ownOtherTenure)
                .add("a hold whose lease has ended is not held at its release", ReleaseRules::expired)
                .add("a release at the old end of an extended hold frees the name", ReleaseRules::extended)
                .add("a release after the lease does not free the name of the next holder", ReleaseRules::tooLate)
                .add("a name that was never used can be released", ReleaseRules::neverUsed)
                .add("a copy of a request is not applied after a release after its time", ReleaseRules::endOfCopies);
    }

    private static void frees(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(holder.release(tenure).held());
        other.granted(other.tenure());
    }

    /** The release of an extension whose answer was lost: the client knows only the old end. */
    private static void extended(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = RenewRules.outlivesItsFirstLease(scene, holder, other);
        assertTrue(holder.release(tenure).held());
        other.granted(other.tenure());
    }

    private static void secondCopy(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(holder.release(tenure).held());
        assertFalse(holder.release(tenure).held());
    }

    private static void secondCopyLater(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = first.tenure();
        TenureId next = second.tenure();
        first.granted(tenure);
        assertTrue(first.release(tenure).held());
        second.granted(next);
        assertFalse(first.release(tenure).held());
        assertHolds(second, next);
    }

    private static void notTheOwner(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertFalse(other.release(other.tenure()).held());
        assertHolds(holder, tenure);
        other.refused(other.tenure());
    }

    private static void ownOtherTenure(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertFalse(holder.release(holder.tenure()).held());
        assertHolds(holder, tenure);
    }

    private static void expired(Scene scene) {
        TestClient holder = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId tenure = holder.tenure();
        holder.granted(tenure, lease);
        scene.passLease(lease);
        assertFalse(holder.release(tenure).held());
    }

    private static void tooLate(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TenureId tenure = first.tenure();
        TenureId next = second.tenure();
        first.granted(tenure, lease);
        scene.passLease(lease);
        second.granted(next);
        assertFalse(first.release(tenure).held());
        assertHolds(second, next);
    }

    private static void neverUsed(Scene scene) {
        TestClient client = scene.client();
        assertFalse(client.release(client.tenure()).held());
    }

    /** The store may still wait for the record, or have decided and not yet written, when the release comes. */
    private static void endOfCopies(Scene scene) {
        TestClient client = scene.client();
        TestClient other = scene.client();
        for (int i = 0; i < 5; i++) {
            TenureId tenure = client.tenure();
            long notAfter = client.release(tenure).serverMicros() + 5_000;
            TenureId requested = client.tenure();
            var copy = client.store().acquire(client.request(requested).withNotAfter(notAfter));
            while (client.release(requested).serverMicros() <= notAfter) {
                scene.pass(Duration.ofMillis(1));
            }
            scene.pass(Duration.ofMillis(50));
            TenureId next = other.tenure();
            other.granted(next);
            other.release(next);
            scene.await(copy);
        }
    }

    private static void assertHolds(TestClient client, TenureId tenure) {
        assertTrue(client.renewed(tenure, Scene.LONG).serverMicros() > 0);
        assertEquals(
                client.id(),
                client.inspectClients().holder().orElseThrow().client().id());
    }
}
