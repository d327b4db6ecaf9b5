package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LockReport;
import io.holdfast.spi.Release;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

final class ReportRules {

    private ReportRules() {}

    static void addTo(Rules rules) {
        rules.add("a free name has no holder and no waiters", ReportRules::free)
                .add("the holder's client and its remaining lease are shown", ReportRules::holder)
                .add("a report shows the description by the holder's client", Rules.PUSHED, ReportRules::told)
                .add("a description of another tenure is not shown", ReportRules::toldOfAnother)
                .add("a hold whose lease has ended is not shown", ReportRules::expired)
                .add("the last token is not below any issued one", ReportRules::lastToken)
                .add("waiting clients are shown in the order of arrival", ReportRules::waiters)
                .add("the list contains the held names under the prefix, and no others", ReportRules::list)
                .add("the list contains the awaited names, too", ReportRules::listOfAwaited)
                .add("a forced release frees the name and reports the former holder", ReportRules::forced)
                .add("a forced release of a free name finds nobody", ReportRules::forcedFree)
                .add(
                        "a forcibly released hold is lost, and reported as not held at its release",
                        ReportRules::forcedLoses)
                .add("the holder's client is notified of a forced release", ReportRules::forcedTold)
                .add("a forced release notifies the first waiting client", ReportRules::forcedWakes);
    }

    private static void free(Scene scene) {
        TestClient client = scene.client();
        LockReport never = client.inspect();
        assertEquals(scene.name(), never.name());
        assertEquals(Optional.empty(), never.holder());
        assertEquals(List.of(), never.waiters());
        TenureId tenure = client.tenure();
        client.granted(tenure);
        assertTrue(client.release(tenure).held());
        assertEquals(Optional.empty(), client.inspect().holder());
    }

    private static void holder(Scene scene) {
        TestClient client = scene.client();
        TenureId tenure = client.tenure();
        client.granted(tenure);
        LockReport.Holder holder = scene.client().inspectClients().holder().orElseThrow();
        assertEquals(client.id(), holder.client().id());
        assertEquals(tenure.toString(), holder.hold());
        assertEquals(LockReport.Mode.LOCK, holder.mode());
        assertEquals(Optional.of("contract"), holder.client().name());
        assertTrue(holder.remainingLease().compareTo(Scene.LONG) <= 0);
        assertTrue(holder.remainingLease().compareTo(Scene.LONG.dividedBy(2)) > 0);
    }

    private static void told(Scene scene) {
        TestClient client = scene.client();
        TenureId tenure = client.tenure();
        Instant since = Instant.ofEpochMilli(1_000_000);
        client.granted(tenure);
        client.tells(new HoldDescription(tenure, "a thread", since, 42, Optional.of("now at home")));
        LockReport.Holder holder = scene.client().describedHolder();
        assertEquals(Optional.of("a thread"), holder.owner());
        assertEquals(Optional.of(since), holder.since());
        assertEquals(OptionalLong.of(42), holder.fencingToken());
        assertEquals(Optional.of("now at home"), holder.place());
    }

    private static void toldOfAnother(Scene scene) {
        TestClient client = scene.client();
        client.granted(client.tenure());
        client.tells(new HoldDescription(client.tenure(), "a thread", Instant.EPOCH, 42));
        LockReport.Holder holder = scene.client().inspect().holder().orElseThrow();
        assertEquals(Optional.empty(), holder.owner());
        assertEquals(OptionalLong.empty(), holder.fencingToken());
    }

    private static void expired(Scene scene) {
        TestClient client = scene.client();
        Duration lease = scene.shortLease(client.capabilities());
        client.granted(client.tenure(), lease);
        scene.passLease(lease);
        assertEquals(Optional.empty(), client.inspect().holder());
        assertFalse(names(scene, scene.name()).contains(scene.name()));
        assertEquals(Optional.empty(), scene.await(client.store().forceRelease(scene.name())));
    }

    private static void lastToken(Scene scene) {
        TestClient client = scene.client();
        long given = client.granted(client.tenure()).tokens().last();
        client.inspect().lastToken().ifPresent(last -> assertTrue(last >= given, () -> last + " is below " + given));
        assertTrue(client.inspect().lastToken().isPresent());
    }

    private static void waiters(Scene scene) {
        TestClient holder = scene.client();
        TestClient first = scene.client();
        TestClient second = scene.client();
        holder.granted(holder.tenure());
        first.enqueued(first.tenure());
        second.enqueued(second.tenure());
        List<LockReport.Waiter> waiters = holder.inspectClients().waiters();
        assertEquals(
                List.of(first.id(), second.id()),
                waiters.stream().map(waiter -> waiter.client().id()).toList());
        assertEquals(Optional.of("contract"), waiters.get(0).client().name());
        assertFalse(waiters.get(0).since().isAfter(waiters.get(1).since()));
    }

    private static List<String> names(Scene scene, String prefix) {
        return names(scene, scene.client(), prefix).toList();
    }

    private static Stream<String> names(Scene scene, TestClient client, String prefix) {
        return scene.await(client.store().list(prefix)).stream()
                .map(LockReport::name)
                .sorted();
    }

    private static void list(Scene scene) {
        TestClient client = scene.client("p" + scene.name() + ":");
        TenureId released = client.tenure();
        for (String suffix : List.of("-a1", "-a2", "-b", "-*")) {
            client.granted(client.request(client.tenure(), scene.name(suffix)));
        }
        client.granted(client.request(released, scene.name("-a3")));
        scene.await(client.store().release(Release.of(scene.name("-a3"), released)));
        TestClient elsewhere = scene.client();
        elsewhere.granted(elsewhere.request(elsewhere.tenure(), scene.name("-a4")));
        assertEquals(
                List.of(scene.name("-a1"), scene.name("-a2")),
                names(scene, client, scene.name("-a")).toList());
        assertEquals(
                List.of(scene.name("-*")),
                names(scene, client, scene.name("-*")).toList());
        assertEquals(
                List.of(client.id()),
                scene
                        .eventually(
                                () -> scene.await(client.store().list(scene.name("-b"))),
                                reports -> reports.stream().allMatch(TestClient::knowsItsClients))
                        .stream()
                        .map(report -> report.holder().orElseThrow().client().id())
                        .toList());
    }

    private static void listOfAwaited(Scene scene) {
        TestClient holder = scene.client();
        TestClient waiter = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        holder.granted(holder.tenure(), lease);
        waiter.enqueued(waiter.tenure());
        scene.passLease(lease);
        assertEquals(List.of(scene.name()), names(scene, scene.name()));
    }

    private static void forced(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        holder.granted(holder.tenure());
        holder.inspectClients();
        assertEquals(
                Optional.of(holder.id()),
                scene.await(other.store().forceRelease(scene.name()))
                        .map(found -> found.client().id()));
        other.granted(other.tenure());
    }

    private static void forcedFree(Scene scene) {
        TestClient client = scene.client();
        assertEquals(Optional.empty(), scene.await(client.store().forceRelease(scene.name())));
        client.granted(client.tenure());
    }

    private static void forcedLoses(Scene scene) {
        TestClient holder = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(
                scene.await(scene.client().store().forceRelease(scene.name())).isPresent());
        holder.lost(tenure);
        assertFalse(holder.release(tenure).held());
    }

    private static void forcedTold(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId tenure = holder.tenure();
        holder.granted(tenure);
        assertTrue(scene.await(other.store().forceRelease(scene.name())).isPresent());
        holder.isRevoked(tenure, Mode.LOCK);
        assertEquals(List.of(), other.signals());
    }

    private static void forcedWakes(Scene scene) {
        TestClient holder = scene.client();
        TestClient first = scene.client();
        TestClient second = scene.client();
        holder.granted(holder.tenure());
        first.enqueued(first.tenure());
        second.enqueued(second.tenure());
        assertTrue(
                scene.await(scene.client().store().forceRelease(scene.name())).isPresent());
        first.signal(Signal.Freed.class);
        scene.passSignals();
        assertEquals(List.of(), second.signals());
    }
}
