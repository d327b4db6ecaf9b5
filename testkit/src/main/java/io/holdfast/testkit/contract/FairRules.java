package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Place;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The rules of fair positions: the name goes to them in the order of arrival, and to no other client before. */
final class FairRules {

    private FairRules() {}

    static void addTo(Rules rules) {
        rules.add("a release assigns the name to the first fair position", FairRules::assigned)
                .add("fair positions are assigned in the order of arrival", FairRules::order)
                .add("no request acquires the name before a fair position", FairRules::newcomer)
                .add("a free name is assigned to the first fair position", FairRules::firstGetsIt)
                .add("a barging position ahead of a fair one is notified first", FairRules::bargingFirst)
                .add("a notified client may acquire before the fair positions behind it", FairRules::wokenComesFirst)
                .add("a notification does not let others acquire before a fair position", FairRules::afterAWaking)
                .add("a withdrawn fair position is not assigned", FairRules::withdrawn)
                .add("positions sent along with a refused tenure are queued in order", FairRules::behind)
                .add("positions sent along with a granted tenure are queued", FairRules::behindAGrant)
                .add("a fair position that is requested again keeps its arrival", FairRules::comesBack)
                .add("an assignment reports the following positions of the same client", FairRules::next)
                .add("a release withdraws the positions that were served locally", FairRules::servedWithIt)
                .add("a client that lets a claim lapse costs the others one claim window only", FairRules::absent)
                .add("a confirmed claim does not lapse", FairRules::confirmed)
                .add("a fair assignment lasts no longer than the lease of its position", FairRules::shortClaim)
                .add("the fair position of a dead client is skipped", FairRules::gone)
                .add(
                        "a client has as many fair positions as declared, and no more",
                        FairRules::isLimited,
                        FairRules::most)
                .add(
                        "a position that has waited elsewhere comes before later ones",
                        FairRules::isLimited,
                        FairRules::waited)
                .add(
                        "positions of one client keep their order, however long they have waited",
                        FairRules::isLimited,
                        FairRules::waitedInOrder);
    }

    /** A holder and two clients with fair positions, in this order. */
    private record Line(
            Scene scene,
            TestClient holder,
            TenureId held,
            TestClient first,
            TenureId early,
            TestClient second,
            TenureId late) {

        static Line in(Scene scene) {
            return in(scene, Scene.LONG);
        }

        static Line in(Scene scene, Duration lease) {
            TestClient holder = scene.client();
            TestClient first = scene.client();
            TestClient second = scene.client();
            Line line = new Line(scene, holder, holder.tenure(), first, first.tenure(), second, second.tenure());
            holder.granted(line.held, lease);
            first.inLine(line.early);
            second.inLine(line.late);
            return line;
        }

        void assignedToFirst() {
            assertEquals(early, first.signal(Signal.Assigned.class).tenure());
            nothingFor(second);
        }

        void assignedToSecond() {
            assertEquals(late, second.signal(Signal.Assigned.class).tenure());
            nothingFor(first);
        }

        void nothingFor(TestClient client) {
            scene.passSignals();
            assertEquals(List.of(), client.signals());
        }
    }

    private static boolean isLimited(Capabilities able) {
        return able.fairPlaces() < Integer.MAX_VALUE;
    }

    private static void most(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        holder.granted(holder.tenure());
        int most = other.capabilities().fairPlaces();
        TenureId first = other.tenure();
        List<TenureId> more = Stream.generate(other::tenure).limit(most).toList();
        List<Long> arrivals =
                other.refused(other.fair(first).withBehind(places(more))).behind();
        assertEquals(most - 1, arrivals.stream().filter(arrival -> arrival != 0).count());
        assertEquals(0, arrivals.get(most - 1));
        assertTrue(scene.client().inLine(new TenureId("another", 1)).arrival() != 0);
    }

    private static void waited(Scene scene) {
        Line line = Line.in(scene);
        TestClient patient = scene.client();
        TenureId tenure = patient.tenure();
        patient.refused(patient.fair(tenure).withWaited(Duration.ofSeconds(10)));
        line.holder.release(line.held);
        assertEquals(tenure, patient.signal(Signal.Assigned.class).tenure());
        patient.release(tenure);
        line.assignedToFirst();
    }

    private static void waitedInOrder(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId held = holder.tenure();
        TenureId first = other.tenure();
        holder.granted(held);
        long before = other.inLine(first).arrival();
        scene.pass(Duration.ofMillis(5));
        holder.inLine(holder.tenure());
        Place later = new Place(other.tenure(), 0, Scene.LONG, Duration.ofSeconds(10));
        long arrival = other.refused(other.fair(first).withBehind(List.of(later)))
                .behind()
                .get(0);
        assertTrue(before < arrival);
        holder.release(held);
        assertEquals(arrival, other.signal(Signal.Assigned.class).next());
    }

    private static void assigned(Scene scene) {
        Line line = Line.in(scene);
        line.holder.release(line.held);
        line.assignedToFirst();
        line.first.renewed(line.early, Scene.LONG);
    }

    private static void order(Scene scene) {
        Line line = Line.in(scene);
        line.holder.inLine(line.holder.tenure());
        line.holder.release(line.held);
        line.assignedToFirst();
        line.first.release(line.early);
        line.assignedToSecond();
        line.second.release(line.late);
        line.holder.signal(Signal.Assigned.class);
    }

    private static void newcomer(Scene scene) {
        Duration lease = scene.shortLease(scene.client().capabilities());
        Line line = Line.in(scene, lease);
        scene.passLease(lease);
        line.holder.refused(line.holder.tenure());
        line.assignedToFirst();
        line.first.renewed(line.early, lease);
        scene.passClaimWindow();
        line.holder.enqueued(line.holder.tenure());
        line.assignedToSecond();
    }

    private static void firstGetsIt(Scene scene) {
        Duration lease = scene.shortLease(scene.client().capabilities());
        Line line = Line.in(scene, lease);
        scene.passLease(lease);
        line.first.granted(line.first.fair(line.early));
        line.nothingFor(line.second);
        line.first.release(line.early);
        line.assignedToSecond();
    }

    private static void bargingFirst(Scene scene) {
        TestClient holder = scene.client();
        TestClient barging = scene.client();
        TestClient fair = scene.client();
        TenureId held = holder.tenure();
        holder.granted(held);
        barging.enqueued(barging.tenure());
        fair.inLine(fair.tenure());
        holder.release(held);
        barging.signal(Signal.Freed.class);
        scene.passSignals();
        assertEquals(List.of(), fair.signals());
    }

    private static void wokenComesFirst(Scene scene) {
        TestClient holder = scene.client();
        TestClient barging = scene.client();
        TestClient fair = scene.client();
        TenureId held = holder.tenure();
        TenureId woken = barging.tenure();
        holder.granted(held);
        long arrival = barging.enqueued(woken).arrival();
        fair.inLine(fair.tenure());
        holder.release(held);
        barging.signal(Signal.Freed.class);
        barging.granted(barging.request(woken).queued(Queueing.BARGING, arrival));
        scene.passSignals();
        assertEquals(List.of(), fair.signals());
    }

    private static void afterAWaking(Scene scene) {
        TestClient holder = scene.client();
        TenureId held = holder.tenure();
        holder.granted(held);
        for (int i = 0; i < 2; i++) {
            TestClient barging = scene.client();
            barging.enqueued(barging.tenure());
        }
        TestClient fair = scene.client();
        TenureId patient = fair.tenure();
        fair.inLine(patient);
        holder.release(held);
        holder.refused(holder.tenure());
        holder.inLine(holder.tenure());
        fair.granted(fair.fair(patient));
    }

    private static void withdrawn(Scene scene) {
        Line line = Line.in(scene);
        line.first.release(line.early);
        line.holder.release(line.held);
        line.assignedToSecond();
    }

    private static void behind(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        TenureId held = holder.tenure();
        List<TenureId> own = Stream.generate(other::tenure).limit(3).toList();
        holder.granted(held);
        Acquire request = other.fair(own.get(0)).withBehind(places(own.subList(1, 3)));
        List<Long> arrivals = other.refused(request).behind();
        assertEquals(2, arrivals.size());
        assertTrue(other.refused(request).arrival() < arrivals.get(0));
        assertTrue(arrivals.get(0) < arrivals.get(1));
        assertEquals(arrivals, other.refused(request).behind());
        assertEquals(3, holder.inspect().waiters().size());
        holder.release(held);
        for (TenureId tenure : own) {
            assertEquals(tenure, other.signal(Signal.Assigned.class).tenure());
            other.release(tenure);
        }
    }

    private static void behindAGrant(Scene scene) {
        TestClient client = scene.client();
        TenureId held = client.tenure();
        TenureId next = client.tenure();
        List<Long> arrivals = client.granted(client.fair(held).withBehind(places(List.of(next))))
                .behind();
        assertEquals(1, arrivals.size());
        client.release(held);
        assertEquals(next, client.signal(Signal.Assigned.class).tenure());
    }

    /** Checks a position that arrived with one of a longer lease, and a position that arrived alone. */
    private static void shortClaim(Scene scene) {
        TestClient holder = scene.client();
        TestClient other = scene.client();
        Duration lease = scene.shortLease(holder.capabilities());
        TenureId held = holder.tenure();
        TenureId first = other.tenure();
        TenureId second = other.tenure();
        TenureId third = holder.tenure();
        holder.granted(held);
        other.refused(other.fair(first).withBehind(List.of(new Place(second, 0, lease))));
        holder.refused(holder.fair(third).withLease(lease));
        holder.release(held);
        other.isAssigned(first, holder.capabilities().claimWindow());
        other.release(first);
        other.isAssigned(second, lease);
        other.release(second);
        holder.isAssigned(third, lease);
        scene.passLease(lease);
        other.granted(other.tenure());
    }

    private static List<Place> places(List<TenureId> tenures) {
        return tenures.stream().map(tenure -> new Place(tenure, 0, Scene.LONG)).toList();
    }

    private static void comesBack(Scene scene) {
        Line line = Line.in(scene);
        long arrival = line.first.inLine(line.early).arrival();
        line.first.release(line.early);
        TenureId again = line.first.tenure();
        line.first.refused(line.first.fair(again).queued(Queueing.FAIR, arrival));
        line.holder.release(line.held);
        assertEquals(again, line.first.signal(Signal.Assigned.class).tenure());
    }

    private static void next(Scene scene) {
        Line line = Line.in(scene);
        TenureId third = line.second.tenure();
        TenureId fourth = line.second.tenure();
        List<Long> arrivals = line.second
                .refused(line.second.fair(line.late).withBehind(places(List.of(third, fourth))))
                .behind();
        line.first.inLine(line.first.tenure());
        line.holder.release(line.held);
        assertEquals(0, line.first.signal(Signal.Assigned.class).next());
        line.first.release(line.early);
        assertEquals(arrivals.get(1), line.second.signal(Signal.Assigned.class).next());
    }

    private static void servedWithIt(Scene scene) {
        Line line = Line.in(scene);
        TenureId served = line.first.tenure();
        line.second.release(line.late);
        long arrival = line.first.inLine(served).arrival();
        line.second.inLine(line.second.tenure());
        line.holder.release(line.held);
        assertEquals(arrival, line.first.signal(Signal.Assigned.class).next());
        line.first.release(Release.of(scene.name(), line.early).withPlaces(List.of(served)));
        line.second.signal(Signal.Assigned.class);
        line.nothingFor(line.first);
    }

    private static void absent(Scene scene) {
        Line line = Line.in(scene);
        TenureId another = line.first.tenure();
        line.first.inLine(another);
        TestClient last = scene.client();
        TenureId patient = last.tenure();
        line.second.release(line.late);
        last.inLine(patient);
        line.holder.release(line.held);
        assertEquals(line.early, line.first.signal(Signal.Assigned.class).tenure());
        scene.passClaimWindow();
        last.isServed(last.fair(patient));
        line.nothingFor(line.first);
    }

    private static void confirmed(Scene scene) {
        Line line = Line.in(scene);
        Duration lease = line.first.capabilities().claimWindow().plusMillis(200);
        TenureId another = line.first.tenure();
        line.second.release(line.late);
        line.first.inLine(another);
        line.second.inLine(line.second.tenure());
        line.holder.release(line.held);
        assertEquals(line.early, line.first.signal(Signal.Assigned.class).tenure());
        line.first.renewed(line.early, lease);
        scene.passLease(lease);
        line.second.refused(line.second.fair(line.second.tenure()));
        assertEquals(another, line.first.signal(Signal.Assigned.class).tenure());
    }

    private static void gone(Scene scene) {
        Line line = Line.in(scene);
        line.first.close();
        line.holder.release(line.held);
        scene.passClaimWindow();
        line.second.isServed(line.second.fair(line.late));
    }
}
