package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.PermitHolder;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.Change.Kind;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** The rules of permits: never more are held than there are, and released permits go to the waiters. */
final class PermitRules {

    private PermitRules() {}

    static void addTo(Rules rules) {
        rules.add("permits are granted while enough are free", PermitRules::free)
                .add("a duplicate of a request takes no further permits", PermitRules::copy)
                .add("tokens rise from one permit to the next", PermitRules::tokens)
                .add("a semaphore without a number of permits refuses requests", PermitRules::none)
                .add(
                        "the list contains the semaphores under the prefix that have a number of permits",
                        PermitRules::list)
                .add("a request for more permits than there are is refused", PermitRules::tooMany)
                .add("permits are released once, and only by their holder", PermitRules::givenBack)
                .add("permits are free again when their lease has ended", PermitRules::expiry)
                .add("renewed permits stay held", PermitRules::renewed)
                .add("drain grants all free permits as one hold", PermitRules::drain)
                .add("released permits are assigned in order, as far as they suffice", PermitRules::served)
                .add("expired permits are assigned to the waiters", PermitRules::servedLater)
                .add(
                        "only a non-fair request takes permits that are too few for the first waiter",
                        PermitRules::overtaking)
                .add("no request acquires permits before a fair position", PermitRules::fairFirst)
                .add("permits are assigned for no longer than the lease of their position", PermitRules::shortClaim)
                .add("unclaimed permits are assigned to the next waiter", PermitRules::lapse)
                .add("a client that lets permits lapse costs the others one claim window only", PermitRules::absent)
                .add("a client that let permits lapse can wait again", PermitRules::comesBack)
                .add("a withdrawn position is assigned no permits", PermitRules::withdrawn)
                .add("a refused request without queueing reports no position", PermitRules::noPlace)
                .add("the first call that sets the number wins", PermitRules::firstWins)
                .add("reducing the number takes no permits away", PermitRules::fewer)
                .add("added permits are assigned to the waiters", PermitRules::more)
                .add("the number of permits cannot become less than one", PermitRules::lessThanOne)
                .add("a duplicate of a change of permits has no further effect", PermitRules::changeTwice)
                .add("a late change of permits is not applied", PermitRules::changeLate)
                .add("a semaphore in use is not deleted", PermitRules::forgotten)
                .add("a revoked permit is reported to its holder, and assigned to others", PermitRules::revoked)
                .add("a permit that is not held cannot be revoked", PermitRules::revokedInVain)
                .add("a report names the holders and their permits", PermitRules::report)
                .add("a semaphore is independent of a lock of the same name", PermitRules::notALock);
    }

    private static void shortClaim(Scene scene) {
        Counts one = Counts.with(scene, 1);
        Duration lease = scene.shortLease(one.client().capabilities());
        TenureId held = one.gets(1);
        TenureId waiting = one.client().tenure();
        TenureId inLine = one.client().tenure();
        one.client().refused(one.waits(waiting, 1).withLease(lease));
        one.client().refused(one.inLine(inLine, 1).withLease(lease));
        one.release(held);
        one.client().isAssigned(waiting, lease);
        one.release(waiting);
        one.client().isAssigned(inLine, lease);
        scene.passLease(lease);
        one.areFree(1);
    }

    /** Returns a client that waits twice and lets a claim lapse, and one that waits twice behind it. */
    private static Counts[] afterALapse(Scene scene) {
        Counts one = Counts.with(scene, 1);
        Counts absent = Counts.of(scene);
        Counts patient = Counts.of(scene);
        TenureId held = one.gets(1);
        absent.waitsFor(1);
        absent.isInLineFor(1);
        patient.waitsFor(1);
        patient.waitsFor(1);
        one.releases(held);
        absent.client().signal(Signal.Assigned.class);
        scene.passClaimWindow();
        return new Counts[] {one, absent, patient};
    }

    private static void absent(Scene scene) {
        Counts[] all = afterALapse(scene);
        all[0].client().refused(all[0].wants(all[0].client().tenure(), 1));
        all[2].client().signal(Signal.Assigned.class);
        scene.passSignals();
        assertEquals(List.of(), all[1].client().signals());
    }

    private static void comesBack(Scene scene) {
        Counts[] all = afterALapse(scene);
        all[1].client().refused(all[1].wants(all[1].client().tenure(), 1));
        TenureId served = all[2].client().signal(Signal.Assigned.class).tenure();
        TenureId again = all[1].waitsFor(1);
        assertTrue(all[2].releases(served));
        assertTrue(all[2].releases(all[2].client().signal(Signal.Assigned.class).tenure()));
        assertEquals(again, all[1].client().signal(Signal.Assigned.class).tenure());
    }

    private static void free(Scene scene) {
        Counts one = Counts.with(scene, 3);
        Counts other = Counts.of(scene);
        one.gets(2);
        other.client().refused(other.wants(other.client().tenure(), 2));
        other.gets(1);
        other.client().refused(other.wants(other.client().tenure(), 1));
        one.areFree(0);
    }

    private static void copy(Scene scene) {
        Counts one = Counts.with(scene, 3);
        Acquire request = one.wants(one.client().tenure(), 2);
        Acquire.Granted first = one.client().granted(request);
        Acquire.Granted second = one.client().granted(request);
        assertEquals(2, second.permits());
        assertTrue(second.tokens().first() > first.tokens().last());
        one.areFree(1);
    }

    private static void tokens(Scene scene) {
        Counts one = Counts.with(scene, 2);
        Acquire.Granted first = one.client().granted(one.wants(one.client().tenure(), 1));
        Counts other = Counts.of(scene);
        Acquire.Granted second =
                other.client().granted(other.wants(other.client().tenure(), 1));
        assertTrue(second.tokens().first() > first.tokens().last());
    }

    private static void list(Scene scene) {
        Counts one = Counts.with(scene, 3);
        CounterStore store = one.client().store().counters();
        TenureId held = one.gets(2);
        one.waitsFor(2);
        SemaphoreReport report = scene.await(store.semaphores(scene.name())).get(0);
        assertEquals(scene.name(), report.name());
        assertEquals(3, report.permits());
        assertEquals(1, report.free());
        assertEquals(1, report.waiting());
        assertEquals(held.toString(), report.holders().get(0).id());
        assertEquals(List.of(), scene.await(store.semaphores(scene.name("-elsewhere"))));
        assertEquals(List.of(), scene.await(Counts.of(scene).client().store().list(scene.name())));
    }

    private static void none(Scene scene) {
        Counts one = Counts.of(scene);
        one.isRefused(one.wants(one.client().tenure(), 1));
        one.isRefused(one.change(Kind.ADD_PERMITS, 1));
        assertTrue(one.permits().limit().isEmpty());
    }

    private static void tooMany(Scene scene) {
        Counts one = Counts.with(scene, 2);
        one.isRefused(one.waits(one.client().tenure(), 3));
        assertEquals(0, one.permits().waiting());
    }

    private static void givenBack(Scene scene) {
        Counts one = Counts.with(scene, 3);
        Counts other = Counts.of(scene);
        TenureId two = one.gets(2);
        assertFalse(other.releases(other.client().tenure()));
        one.areFree(1);
        assertTrue(one.releases(two));
        assertFalse(one.releases(two));
        one.areFree(3);
        assertEquals(3, one.permits().limit().orElseThrow());
    }

    private static void expiry(Scene scene) {
        Counts one = Counts.with(scene, 2);
        Duration lease = scene.shortLease(one.client().capabilities());
        TenureId lost = one.gets(2, lease);
        scene.passLease(lease);
        one.areFree(2);
        Counts.of(scene).gets(2);
        assertInstanceOf(Renew.Lost.class, one.renew(lost, lease));
        assertFalse(one.releases(lost));
        one.areFree(0);
    }

    private static void renewed(Scene scene) {
        Counts one = Counts.with(scene, 2);
        Duration lease = scene.shortLease(one.client().capabilities());
        TenureId held = one.gets(2, lease);
        assertInstanceOf(Renew.Renewed.class, one.renew(held, Scene.LONG));
        assertInstanceOf(Renew.Renewed.class, one.renew(held, lease));
        scene.passLease(lease);
        one.areFree(0);
        assertTrue(one.releases(held));
    }

    private static void drain(Scene scene) {
        Counts one = Counts.with(scene, 5);
        one.gets(2);
        Acquire all = one.client().request(one.client().tenure()).withShare(Share.freePermits());
        assertEquals(3, one.client().granted(all).permits());
        assertEquals(3, one.client().granted(all).permits());
        one.areFree(0);
        one.client().refused(one.client().request(one.client().tenure()).withShare(Share.freePermits()));
    }

    private static void served(Scene scene) {
        Counts holder = Counts.with(scene, 3);
        Counts other = Counts.of(scene);
        TenureId all = holder.gets(3);
        TenureId two = other.waitsFor(2);
        TenureId one = holder.isInLineFor(1);
        TenureId last = other.waitsFor(1);
        holder.releases(all);
        Signal.Assigned assigned = other.client().signal(Signal.Assigned.class);
        assertEquals(two, assigned.tenure());
        assertEquals(Mode.PERMITS, assigned.mode());
        assertEquals(0, assigned.next());
        assertEquals(one, holder.client().signal(Signal.Assigned.class).tenure());
        scene.passSignals();
        assertEquals(List.of(), other.client().signals());
        assertInstanceOf(Renew.Renewed.class, other.renew(two, Scene.LONG));
        holder.releases(one);
        assertEquals(last, other.client().signal(Signal.Assigned.class).tenure());
    }

    private static void servedLater(Scene scene) {
        Counts holder = Counts.with(scene, 1);
        Counts other = Counts.of(scene);
        Duration lease = scene.shortLease(holder.client().capabilities());
        holder.gets(1, lease);
        TenureId waiting = other.waitsFor(1);
        scene.passLease(lease);
        holder.client().refused(holder.wants(holder.client().tenure(), 1));
        assertEquals(waiting, other.client().signal(Signal.Assigned.class).tenure());
    }

    private static void overtaking(Scene scene) {
        Counts holder = Counts.with(scene, 3);
        Counts other = Counts.of(scene);
        holder.gets(2);
        other.waitsFor(2);
        other.isInLineFor(1);
        holder.isInLineFor(1);
        other.areFree(1);
        assertEquals(3, other.permits().waiting());
    }

    private static void fairFirst(Scene scene) {
        Counts holder = Counts.with(scene, 3);
        Counts other = Counts.of(scene);
        TenureId held = holder.gets(2);
        TenureId two = other.isInLineFor(2);
        TenureId newcomer = holder.waitsFor(1);
        holder.areFree(1);
        holder.releases(held);
        assertEquals(two, other.client().signal(Signal.Assigned.class).tenure());
        assertEquals(newcomer, holder.client().signal(Signal.Assigned.class).tenure());
    }

    private static void lapse(Scene scene) {
        Counts holder = Counts.with(scene, 1);
        Counts gone = Counts.of(scene);
        Counts next = Counts.of(scene);
        TenureId held = holder.gets(1);
        gone.isInLineFor(1);
        TenureId patient = next.client().tenure();
        gone.isInLineFor(1);
        next.client().refused(next.inLine(patient, 1));
        holder.releases(held);
        gone.client().signal(Signal.Assigned.class);
        scene.passClaimWindow();
        next.client().isServed(next.inLine(patient, 1));
        scene.passSignals();
        assertEquals(List.of(), gone.client().signals());
    }

    private static void withdrawn(Scene scene) {
        Counts holder = Counts.with(scene, 1);
        Counts other = Counts.of(scene);
        TenureId held = holder.gets(1);
        TenureId waiting = other.waitsFor(1);
        TenureId inLine = other.isInLineFor(1);
        assertFalse(other.releases(waiting));
        assertFalse(other.releases(inLine));
        holder.releases(held);
        scene.passSignals();
        assertEquals(List.of(), other.client().signals());
        holder.areFree(1);
    }

    private static void noPlace(Scene scene) {
        Counts one = Counts.with(scene, 1);
        one.gets(1);
        Acquire before = one.wants(one.client().tenure(), 1).queued(Queueing.NONE, 7);
        assertEquals(0, one.client().refused(before).arrival());
    }

    private static void firstWins(Scene scene) {
        Counts one = Counts.with(scene, 3);
        Counts other = Counts.of(scene);
        other.doesNothing(Kind.TRY_PERMITS, 5);
        assertEquals(3, other.permits().limit().orElseThrow());
        other.changes(Kind.SET_PERMITS, 5);
        one.changes(Kind.ADD_PERMITS, 2);
        assertEquals(7, one.permits().limit().orElseThrow());
    }

    private static void fewer(Scene scene) {
        Counts one = Counts.with(scene, 3);
        TenureId two = one.gets(2);
        TenureId last = one.gets(1);
        one.changes(Kind.ADD_PERMITS, -2);
        one.areFree(-2);
        assertInstanceOf(Renew.Renewed.class, one.renew(two, Scene.LONG));
        assertInstanceOf(Renew.Renewed.class, one.renew(last, Scene.LONG));
        assertTrue(one.releases(last));
        one.client().refused(one.wants(one.client().tenure(), 1));
        assertTrue(one.releases(two));
        one.areFree(1);
    }

    private static void more(Scene scene) {
        Counts one = Counts.with(scene, 2);
        Counts other = Counts.of(scene);
        one.gets(1);
        TenureId two = other.waitsFor(2);
        one.changes(Kind.ADD_PERMITS, 1);
        assertEquals(two, other.client().signal(Signal.Assigned.class).tenure());
    }

    private static void lessThanOne(Scene scene) {
        Counts one = Counts.with(scene, 2);
        one.isRefused(one.change(Kind.ADD_PERMITS, -2));
        one.isRefused(one.change(Kind.ADD_PERMITS, Integer.MAX_VALUE));
        one.areFree(2);
    }

    private static void changeTwice(Scene scene) {
        Counts one = Counts.of(scene);
        Change first = one.change(Kind.TRY_PERMITS, 2);
        Change more = one.change(Kind.ADD_PERMITS, 2);
        assertTrue(one.applied(first));
        assertTrue(one.applied(first));
        assertTrue(one.applied(more));
        one.isAppliedOrForgotten(first);
        assertTrue(one.applied(more));
        one.areFree(4);
        Change gone = one.change(Kind.DELETE_PERMITS, 0);
        assertTrue(one.applied(gone));
        assertTrue(one.applied(gone), "a semaphore is forgotten, and the change not yet");
    }

    private static void changeLate(Scene scene) {
        Counts one = Counts.with(scene, 2);
        assertInstanceOf(
                Change.Late.class, one.reply(one.change(Kind.SET_PERMITS, 5).withNotAfter(1)));
        one.areFree(2);
    }

    private static void forgotten(Scene scene) {
        Counts one = Counts.with(scene, 2);
        TenureId held = one.gets(2);
        one.doesNothing(Kind.DELETE_PERMITS, 0);
        TenureId waiting = one.waitsFor(1);
        one.releases(waiting);
        one.releases(held);
        one.changes(Kind.DELETE_PERMITS, 0);
        one.doesNothing(Kind.DELETE_PERMITS, 0);
        assertTrue(one.permits().limit().isEmpty());
    }

    private static void revoked(Scene scene) {
        Counts holder = Counts.with(scene, 2);
        Counts other = Counts.of(scene);
        TenureId held = holder.gets(2);
        TenureId waiting = other.waitsFor(1);
        assertTrue(other.revokes(held));
        holder.client().isRevoked(held, Mode.PERMITS);
        assertEquals(waiting, other.client().signal(Signal.Assigned.class).tenure());
        assertInstanceOf(Renew.Lost.class, holder.renew(held, Scene.LONG));
    }

    private static void revokedInVain(Scene scene) {
        Counts one = Counts.with(scene, 2);
        TenureId held = one.gets(1);
        one.releases(held);
        assertFalse(one.revokes(held));
        assertFalse(one.revokes(one.client().tenure()));
        one.areFree(2);
    }

    private static void report(Scene scene) {
        Counts one = Counts.with(scene, 5);
        Counts other = Counts.of(scene);
        TenureId three = one.gets(3);
        TenureId two = other.gets(2);
        other.waitsFor(1);
        PermitReport report = scene.eventually(
                one::permits,
                found -> found.holders().stream()
                        .allMatch(holder -> holder.client().name().isPresent()));
        assertEquals(1, report.waiting());
        List<PermitHolder> holders = report.holders().stream()
                .sorted(Comparator.comparing(PermitHolder::count))
                .toList();
        assertEquals(
                List.of(two.toString(), three.toString()),
                holders.stream().map(PermitHolder::id).toList());
        assertEquals(List.of(2, 3), holders.stream().map(PermitHolder::count).toList());
        assertEquals(other.client().id(), holders.get(0).client().id());
        assertTrue(holders.get(0).remainingLease().compareTo(Duration.ZERO) > 0);
        assertTrue(holders.get(0).remainingLease().compareTo(Scene.LONG) <= 0);
    }

    private static void notALock(Scene scene) {
        Counts one = Counts.with(scene, 1);
        one.gets(1);
        TenureId lock = one.client().tenure();
        one.client().granted(lock);
        Counts.of(scene).client().refused(one.wants(one.client().tenure(), 1));
        one.client().release(lock);
        one.areFree(0);
        assertEquals(List.of(), one.client().inspect().holders());
    }
}
