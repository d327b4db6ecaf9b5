package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;

/** The rules of read/write locks: many owners read or one writes, and each hold ends separately. */
final class ShareRules {

    private ShareRules() {}

    static void addTo(Rules rules) {
        rules.add("any number of owners can read at once, and nobody can write then", ShareRules::readers)
                .add("a writer is alone", ShareRules::writer)
                .add(
                        "a writer can also read, and continues to read after it releases the write lock",
                        ShareRules::beside)
                .add("no reader joins a writer whose hold has ended", ShareRules::besideNothing)
                .add("each reader ends with its own lease", ShareRules::ownLeases)
                .add("a write hold ends with its lease, even if its owner reads for longer", ShareRules::writerEnds)
                .add("a renewal extends one reader, and restores none", ShareRules::renewals)
                .add("a duplicate request of a reader or writer is granted again", ShareRules::again)
                .add("a new reader does not barge ahead of a waiting writer", ShareRules::door)
                .add("a waiting writer of a dead client does not block readers", ShareRules::goneWriter)
                .add("a reader that arrived before a waiting writer is admitted", ShareRules::cameBefore)
                .add("all readers ahead of a waiting writer are assigned together", ShareRules::together)
                .add("a writer is assigned the name when the last reader has released", ShareRules::lastReader)
                .add("readers are assigned the name when the writer ahead of them withdraws", ShareRules::withdrawn)
                .add("readers are assigned the name when the writer downgrades to reading", ShareRules::downgrade)
                .add("all readers are notified of a waiting writer, even of its own client", ShareRules::wanted)
                .add("tokens rise from writers to readers to writers", ShareRules::tokens)
                .add("a floor of a reader or writer is below all later tokens", ShareRules::floors)
                .add("each assignment lasts no longer than the lease of its position", ShareRules::shortClaims)
                .add("a report shows all readers", ShareRules::reports)
                .add("a report and the list show the modes", ShareRules::modes)
                .add("a forced release frees the name and notifies all holders", ShareRules::forced)
                .add("a name held as a lock is refused as a read/write lock, and the reverse", ShareRules::kinds);
    }

    private static Acquire shared(TestClient client, TenureId tenure, Share share) {
        return client.request(tenure).withShare(share);
    }

    private static TenureId reads(TestClient client) {
        return granted(client, Share.READ);
    }

    private static TenureId writes(TestClient client) {
        return granted(client, Share.WRITE);
    }

    private static TenureId granted(TestClient client, Share share) {
        TenureId tenure = client.tenure();
        client.granted(shared(client, tenure, share));
        return tenure;
    }

    private static void refused(TestClient client, Share share) {
        client.refused(shared(client, client.tenure(), share));
    }

    private static TenureId waits(TestClient client, Share share) {
        TenureId tenure = client.tenure();
        client.refused(shared(client, tenure, share).queued(Queueing.BARGING, 0));
        return tenure;
    }

    private static Release.Reply releases(TestClient client, Scene scene, TenureId tenure, Mode mode) {
        return client.release(Release.of(scene.name(), tenure).withMode(mode));
    }

    private static Renew.Reply renews(TestClient client, Scene scene, TenureId tenure, Mode mode) {
        return client.renew(new Renew(scene.name(), tenure, mode, Scene.LONG, 0));
    }

    private static void shortClaims(Scene scene) {
        TestClient holder = scene.client();
        for (Share share : List.of(Share.WRITE, Share.READ)) {
            TestClient other = scene.client();
            Duration lease = scene.shortLease(holder.capabilities());
            TenureId held = writes(holder);
            TenureId waiting = other.tenure();
            other.refused(shared(other, waiting, share).withLease(lease).queued(Queueing.BARGING, 0));
            releases(holder, scene, held, Mode.WRITE);
            other.isAssigned(waiting, lease);
            scene.passLease(lease);
        }
    }

    private static void readers(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId one = reads(first);
        TenureId two = reads(first);
        TenureId three = reads(second);
        refused(second, Share.WRITE);
        for (TenureId tenure : List.of(one, two)) {
            assertTrue(releases(first, scene, tenure, Mode.READ).held());
            refused(second, Share.WRITE);
        }
        assertTrue(releases(second, scene, three, Mode.READ).held());
        writes(second);
    }

    private static void writer(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId tenure = writes(first);
        for (TestClient client : List.of(first, second)) {
            refused(client, Share.READ);
            refused(client, Share.WRITE);
        }
        assertFalse(releases(first, scene, first.tenure(), Mode.WRITE).held());
        refused(second, Share.READ);
        assertTrue(releases(first, scene, tenure, Mode.WRITE).held());
        reads(second);
    }

    private static void beside(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId writing = writes(first);
        TenureId reading = granted(first, Share.READ.beside(writing));
        refused(second, Share.READ);
        assertTrue(releases(first, scene, writing, Mode.WRITE).held());
        reads(second);
        refused(second, Share.WRITE);
        assertTrue(releases(first, scene, reading, Mode.READ).held());
    }

    private static void besideNothing(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId over = writes(first);
        releases(first, scene, over, Mode.WRITE);
        TenureId writing = writes(second);
        refused(first, Share.READ.beside(over));
        releases(second, scene, writing, Mode.WRITE);
        reads(second);
        granted(first, Share.READ.beside(over));
        waits(second, Share.WRITE);
        refused(first, Share.READ.beside(over));
    }

    private static void goneWriter(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        reads(first);
        waits(second, Share.WRITE);
        refused(first, Share.READ);
        second.close();
        eventuallyGranted(scene, first, Share.READ);
    }

    /** Stores may notice the end of a lease or of a client a little later. */
    private static void eventuallyGranted(Scene scene, TestClient client, Share share) {
        Acquire request = shared(client, client.tenure(), share);
        assertInstanceOf(
                Acquire.Granted.class,
                scene.eventually(() -> client.acquire(request), reply -> reply instanceof Acquire.Granted));
    }

    private static void ownLeases(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TenureId brief = first.tenure();
        first.granted(shared(first, brief, Share.READ).withLease(lease));
        TenureId lasting = reads(second);
        scene.passLease(lease);
        assertInstanceOf(Renew.Lost.class, renews(first, scene, brief, Mode.READ));
        assertFalse(releases(first, scene, brief, Mode.READ).held());
        assertTrue(releases(second, scene, lasting, Mode.READ).held());
        TenureId dead = first.tenure();
        first.granted(shared(first, dead, Share.READ).withLease(lease));
        scene.passLease(lease);
        eventuallyGranted(scene, second, Share.WRITE);
    }

    private static void writerEnds(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TenureId writing = first.tenure();
        first.granted(shared(first, writing, Share.WRITE).withLease(lease));
        TenureId reading = granted(first, Share.READ.beside(writing));
        refused(second, Share.READ);
        scene.passLease(lease);
        reads(second);
        assertInstanceOf(Renew.Lost.class, renews(first, scene, writing, Mode.WRITE));
        assertInstanceOf(Renew.Renewed.class, renews(first, scene, reading, Mode.READ));
    }

    private static void renewals(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        Duration lease = scene.shortLease(first.capabilities());
        TenureId kept = first.tenure();
        TenureId left = second.tenure();
        first.granted(shared(first, kept, Share.READ).withLease(lease));
        second.granted(shared(second, left, Share.READ).withLease(lease));
        assertInstanceOf(Renew.Renewed.class, renews(first, scene, kept, Mode.READ));
        scene.passLease(lease);
        assertInstanceOf(Renew.Renewed.class, renews(first, scene, kept, Mode.READ));
        assertInstanceOf(Renew.Lost.class, renews(second, scene, left, Mode.READ));
        assertInstanceOf(Renew.Lost.class, renews(first, scene, kept, Mode.WRITE));
        refused(second, Share.WRITE);
    }

    private static void again(Scene scene) {
        TestClient client = scene.client();
        for (Share share : List.of(Share.READ, Share.WRITE)) {
            TenureId tenure = client.tenure();
            Acquire.Granted once = client.granted(shared(client, tenure, share));
            Acquire.Granted twice = client.granted(shared(client, tenure, share));
            assertTrue(once.tokens().last() < twice.tokens().first());
            assertTrue(releases(client, scene, tenure, share.mode()).held());
        }
        writes(client);
    }

    private static void door(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId reading = reads(first);
        TenureId writer = waits(second, Share.WRITE);
        refused(first, Share.READ);
        refused(second, Share.READ);
        first.granted(shared(first, reading, Share.READ));
        releases(second, scene, writer, Mode.WRITE);
        reads(second);
    }

    private static void cameBefore(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId before = second.tenure();
        long arrival = 1;
        reads(first);
        waits(first, Share.WRITE);
        second.granted(shared(second, before, Share.READ).queued(Queueing.BARGING, arrival));
    }

    private static void together(Scene scene) {
        TestClient holder = scene.client();
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId held = writes(holder);
        TenureId one = waits(first, Share.READ);
        TenureId two = waits(second, Share.READ);
        TenureId writer = waits(first, Share.WRITE);
        waits(holder, Share.READ);
        releases(holder, scene, held, Mode.WRITE);
        Signal.Assigned reads = first.signal(Signal.Assigned.class);
        assertEquals(one, reads.tenure());
        assertEquals(Mode.READ, reads.mode());
        // an assignment that is not claimed costs a client its other places, on a busy machine too
        first.granted(shared(first, one, Share.READ));
        assertEquals(two, second.signal(Signal.Assigned.class).tenure());
        second.granted(shared(second, two, Share.READ));
        scene.passSignals();
        assertFalse(holder.signals().stream().anyMatch(Signal.Assigned.class::isInstance));
        releases(first, scene, one, Mode.READ);
        releases(second, scene, two, Mode.READ);
        Signal.Assigned writes = first.signal(Signal.Assigned.class);
        assertEquals(writer, writes.tenure());
        assertEquals(Mode.WRITE, writes.mode());
        releases(first, scene, writer, Mode.WRITE);
        holder.signal(Signal.Assigned.class);
    }

    private static void lastReader(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId one = reads(first);
        TenureId two = reads(first);
        TenureId writer = waits(second, Share.WRITE);
        releases(first, scene, one, Mode.READ);
        scene.passSignals();
        assertEquals(List.of(), second.signals());
        releases(first, scene, two, Mode.READ);
        assertEquals(writer, second.signal(Signal.Assigned.class).tenure());
        refused(first, Share.READ);
    }

    private static void withdrawn(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        reads(first);
        TenureId writer = waits(first, Share.WRITE);
        TenureId reader = waits(second, Share.READ);
        assertFalse(releases(first, scene, writer, Mode.WRITE).held());
        assertEquals(reader, second.signal(Signal.Assigned.class).tenure());
    }

    private static void downgrade(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId writing = writes(first);
        granted(first, Share.READ.beside(writing));
        TenureId reader = waits(second, Share.READ);
        releases(first, scene, writing, Mode.WRITE);
        assertEquals(reader, second.signal(Signal.Assigned.class).tenure());
    }

    private static void wanted(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId one = reads(first);
        TenureId two = reads(second);
        TenureId writer = waits(second, Share.WRITE);
        first.isWanted(one, Mode.READ);
        second.isWanted(two, Mode.READ);
        second.refused(shared(second, writer, Share.WRITE).queued(Queueing.BARGING, 0));
        scene.passSignals();
        first.isNotToldAgain();
    }

    private static void tokens(Scene scene) {
        TestClient client = scene.client();
        long last = 0;
        for (int i = 0; i < 6; i++) {
            Share share = i % 2 == 0 ? Share.WRITE : Share.READ;
            TenureId tenure = client.tenure();
            Acquire.Granted got = client.granted(shared(client, tenure, share));
            assertTrue(got.tokens().first() > last);
            last = got.tokens().last();
            releases(client, scene, tenure, share.mode());
        }
    }

    private static void floors(Scene scene) {
        TestClient client = scene.client();
        long floor = 0;
        for (Share share : List.of(Share.READ, Share.WRITE)) {
            TenureId tenure = client.tenure();
            Acquire.Granted got = client.granted(shared(client, tenure, share));
            assertTrue(got.tokens().first() > floor);
            floor = got.tokens().last() + 10_000_000_000L;
            Renew renewal = new Renew(scene.name(), tenure, share.mode(), Scene.LONG, 0).withFloor(floor);
            assertInstanceOf(Renew.Renewed.class, client.renew(renewal));
            assertTrue(releases(client, scene, tenure, share.mode()).held());
        }
        TenureId last = client.tenure();
        assertTrue(client.granted(shared(client, last, Share.READ)).tokens().first() > floor);
    }

    private static void modes(Scene scene) {
        TestClient client = scene.client();
        TenureId writing = writes(client);
        assertEquals(List.of(LockReport.Mode.WRITE), modes(client.inspect()));
        assertTrue(releases(client, scene, writing, Mode.WRITE).held());
        reads(client);
        assertEquals(List.of(LockReport.Mode.READ), modes(client.inspect()));
        reads(scene.client());
        List<LockReport.Mode> both = List.of(LockReport.Mode.READ, LockReport.Mode.READ);
        assertEquals(both, modes(client.inspect()));
        assertEquals(both, modes(scene.await(client.store().list(scene.name())).get(0)));
    }

    private static List<LockReport.Mode> modes(LockReport report) {
        return report.holders().stream().map(LockReport.Holder::mode).sorted().toList();
    }

    private static void reports(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        reads(first);
        reads(second);
        waits(first, Share.WRITE);
        LockReport report = first.inspectClients();
        assertEquals(
                List.of(first.id(), second.id()),
                report.holders().stream()
                        .map(holder -> holder.client().id())
                        .sorted()
                        .toList());
        report.holders().forEach(holder -> assertTrue(holder.remainingLease().compareTo(Scene.LONG.dividedBy(2)) > 0));
        assertEquals(1, report.waiters().size());
    }

    private static void forced(Scene scene) {
        TestClient first = scene.client();
        TestClient second = scene.client();
        TenureId one = reads(first);
        TenureId two = reads(second);
        TenureId writer = waits(first, Share.WRITE);
        assertTrue(scene.await(second.store().forceRelease(scene.name())).isPresent());
        first.isRevoked(one, Mode.READ);
        second.isRevoked(two, Mode.READ);
        assertEquals(writer, first.signal(Signal.Assigned.class).tenure());
        assertInstanceOf(Renew.Lost.class, renews(first, scene, one, Mode.READ));
    }

    private static void kinds(Scene scene) {
        TestClient client = scene.client();
        TenureId reading = reads(client);
        refusedForGood(scene, client, client.request(client.tenure()));
        client.lost(client.tenure());
        releases(client, scene, reading, Mode.READ);
        TenureId locked = client.tenure();
        client.granted(locked);
        refusedForGood(scene, client, shared(client, client.tenure(), Share.READ));
        refusedForGood(scene, client, shared(client, client.tenure(), Share.WRITE));
        assertTrue(client.release(locked).held());
        writes(client);
    }

    private static void refusedForGood(Scene scene, TestClient client, Acquire request) {
        Throwable failure = scene.awaitFailure(client.store().acquire(request));
        assertEquals(
                StoreException.Effect.REFUSED,
                assertInstanceOf(StoreException.class, failure).effect());
        assertTrue(String.valueOf(failure.getMessage()).contains(scene.name() + "'"));
    }
}
