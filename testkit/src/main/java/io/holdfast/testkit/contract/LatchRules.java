package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LatchCount;
import io.holdfast.spi.Change;
import io.holdfast.spi.Change.Kind;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.LatchReport.Fate;
import io.holdfast.spi.Signal;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The rules of latches: each countdown takes effect once, and listening clients are notified. */
final class LatchRules {

    /** A number of settings that is larger than any store remembers individually. */
    private static final int MANY = LatchReport.MOST_UNOPENED + 4;

    private LatchRules() {}

    static void addTo(Rules rules) {
        rules.add("a set latch cannot be set again until it is deleted", LatchRules::setOnce)
                .add("a latch opens at zero and stays open", LatchRules::opens)
                .add("an unset latch cannot be counted down", LatchRules::unset)
                .add("a duplicate of a change of a latch has no further effect", LatchRules::changeTwice)
                .add("a late change of a latch is not applied", LatchRules::changeLate)
                .add("a listening client is notified when the latch opens, and no other client is", LatchRules::told)
                .add("a listening client is notified when the latch is deleted", LatchRules::toldOfTheEnd)
                .add("a listening client is notified when the latch is set again", LatchRules::toldOfTheReset)
                .add(
                        "a latch that is set again is a new setting, and reports whether the earlier one opened",
                        LatchRules::reset)
                .add("a latch that opened and was deleted is reported as opened", LatchRules::openedAndGone)
                .add("the numbers of settings rise", LatchRules::numbersRise)
                .add(
                        "after the loss of all data earlier settings are unknown, and numbers rise",
                        LatchRules::afterALoss)
                .add("a setting is reported as opened, however often the latch opened since", LatchRules::manyOpenings)
                .add("a setting that ended before it opened is reported as unopened", LatchRules::fewEnds)
                .add("a forgotten setting is reported as unknown", LatchRules::manyEnds)
                .add("a latch that was never set is unknown", LatchRules::neverSet)
                .add("a latch is unset when its time to live has ended", LatchRules::life)
                .add("the list contains the latches that are set under the prefix", LatchRules::list)
                .add("a latch is independent of a lock and a semaphore of the same name", LatchRules::another);
    }

    private static void setOnce(Scene scene) {
        Counts one = Counts.of(scene);
        Counts other = Counts.of(scene);
        one.changes(Kind.TRY_COUNT, 2);
        other.doesNothing(Kind.TRY_COUNT, 5);
        other.countIs(2);
        other.changes(Kind.DELETE_COUNT, 0);
        other.doesNothing(Kind.DELETE_COUNT, 0);
        other.changes(Kind.TRY_COUNT, 5);
        one.countIs(5);
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void opens(Scene scene) {
        Counts one = Counts.of(scene);
        long setting = one.sets(Kind.TRY_COUNT, 4);
        one.changes(Kind.COUNT_DOWN, 1);
        one.countIs(3);
        assertEquals(Fate.CLOSED, one.fateOf(setting));
        one.changes(Kind.COUNT_DOWN, 9);
        one.countIs(0);
        one.changes(Kind.COUNT_DOWN, 1);
        one.countIs(0);
        assertEquals(Fate.OPENED, one.fateOf(setting));
        one.doesNothing(Kind.TRY_COUNT, 1);
    }

    private static void unset(Scene scene) {
        Counts one = Counts.of(scene);
        one.doesNothing(Kind.COUNT_DOWN, 1);
        assertTrue(one.latch(true).set().isEmpty());
    }

    private static void changeTwice(Scene scene) {
        Counts one = Counts.of(scene);
        Change set = one.change(Kind.TRY_COUNT, 5);
        Change down = one.change(Kind.COUNT_DOWN, 1);
        assertTrue(one.applied(set));
        assertTrue(one.applied(set));
        assertTrue(one.applied(down));
        one.isAppliedOrForgotten(set);
        assertTrue(one.applied(down));
        one.countIs(4);
        Change gone = one.change(Kind.DELETE_COUNT, 0);
        assertTrue(one.applied(gone));
        assertTrue(one.applied(gone));
        one.isAppliedOrForgotten(set);
        assertTrue(one.latch(false).set().isEmpty());
    }

    private static void changeLate(Scene scene) {
        Counts one = Counts.of(scene);
        one.changes(Kind.TRY_COUNT, 5);
        assertInstanceOf(
                Change.Late.class, one.reply(one.change(Kind.COUNT_DOWN, 1).withNotAfter(1)));
        one.countIs(5);
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void told(Scene scene) {
        Counts one = Counts.of(scene);
        Counts listener = Counts.of(scene);
        Counts leaver = Counts.of(scene);
        one.changes(Kind.TRY_COUNT, 2);
        listener.latch(true);
        leaver.latch(true);
        leaver.latch(false);
        one.changes(Kind.COUNT_DOWN, 1);
        nothingFor(scene, listener);
        one.changes(Kind.COUNT_DOWN, 1);
        assertEquals(
                scene.name(), listener.client().signal(Signal.Changed.class).name());
        one.changes(Kind.COUNT_DOWN, 1);
        nothingFor(scene, listener);
        nothingFor(scene, leaver);
        nothingFor(scene, one);
    }

    private static void nothingFor(Scene scene, Counts counts) {
        scene.passSignals();
        assertEquals(List.of(), counts.client().signals());
    }

    private static void toldOfTheEnd(Scene scene) {
        Counts one = Counts.of(scene);
        Counts listener = Counts.of(scene);
        one.changes(Kind.TRY_COUNT, 2);
        listener.latch(true);
        one.changes(Kind.DELETE_COUNT, 0);
        listener.client().signal(Signal.Changed.class);
        assertTrue(listener.latch(true).set().isEmpty());
    }

    private static void toldOfTheReset(Scene scene) {
        Counts one = Counts.of(scene);
        Counts listener = Counts.of(scene);
        one.changes(Kind.TRY_COUNT, 2);
        listener.latch(true);
        one.changes(Kind.RESET_COUNT, 3);
        listener.client().signal(Signal.Changed.class);
        listener.countIs(3);
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void reset(Scene scene) {
        Counts one = Counts.of(scene);
        long first = one.sets(Kind.TRY_COUNT, 1);
        one.changes(Kind.COUNT_DOWN, 1);
        long second = one.sets(Kind.RESET_COUNT, 2);
        assertEquals(Fate.OPENED, one.fateOf(first));
        assertEquals(Fate.CLOSED, one.fateOf(second));
        one.sets(Kind.RESET_COUNT, 3);
        assertEquals(Fate.UNOPENED, one.fateOf(second));
        one.countIs(3);
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void openedAndGone(Scene scene) {
        Counts one = Counts.of(scene);
        long first = one.sets(Kind.TRY_COUNT, 1);
        one.changes(Kind.COUNT_DOWN, 1);
        one.changes(Kind.DELETE_COUNT, 0);
        assertEquals(Fate.OPENED, one.fateOf(first));
        assertTrue(one.latch(false).set().isEmpty());
        long second = one.sets(Kind.TRY_COUNT, 1);
        assertEquals(Fate.CLOSED, one.fateOf(second));
        one.changes(Kind.COUNT_DOWN, 1);
        one.changes(Kind.RESET_COUNT, 1);
        one.changes(Kind.RESET_COUNT, 1);
        assertEquals(Fate.OPENED, one.fateOf(first));
        assertEquals(Fate.OPENED, one.fateOf(second));
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void numbersRise(Scene scene) {
        Counts one = Counts.of(scene);
        long last = 0;
        for (int i = 0; i < MANY; i++) {
            long setting = one.sets(i % 3 == 0 ? Kind.TRY_COUNT : Kind.RESET_COUNT, 1);
            assertTrue(setting > last, () -> "number of a setting: " + setting);
            last = setting;
            if (i % 3 == 2) {
                one.changes(Kind.DELETE_COUNT, 0);
            }
        }
        one.changes(Kind.RESET_COUNT, 1);
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void afterALoss(Scene scene) {
        Counts one = Counts.of(scene);
        long before = one.sets(Kind.TRY_COUNT, 1);
        scene.wipe();
        scene.pass(Duration.ofMillis(20));
        assertEquals(Fate.UNKNOWN, one.fateOf(before));
        long after = one.sets(Kind.TRY_COUNT, 1);
        assertTrue(after > before, () -> before + " before, " + after + " after");
        assertEquals(Fate.UNKNOWN, one.fateOf(before));
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void manyOpenings(Scene scene) {
        Counts one = Counts.of(scene);
        long mine = one.sets(Kind.TRY_COUNT, 1);
        one.changes(Kind.COUNT_DOWN, 1);
        for (int i = 0; i < MANY; i++) {
            one.changes(Kind.RESET_COUNT, 2);
            one.changes(Kind.COUNT_DOWN, 2);
        }
        assertEquals(Fate.OPENED, one.fateOf(mine));
        one.changes(Kind.DELETE_COUNT, 0);
        assertEquals(Fate.OPENED, one.fateOf(mine));
    }

    private static void fewEnds(Scene scene) {
        Counts one = Counts.of(scene);
        long mine = one.sets(Kind.TRY_COUNT, 1);
        one.changes(Kind.DELETE_COUNT, 0);
        assertEquals(Fate.UNOPENED, one.fateOf(mine));
        for (int i = 1; i < LatchReport.MOST_UNOPENED; i++) {
            one.changes(Kind.RESET_COUNT, 1);
        }
        one.changes(Kind.RESET_COUNT, 1);
        assertEquals(Fate.UNOPENED, one.fateOf(mine));
        one.changes(Kind.DELETE_COUNT, 0);
        assertEquals(Fate.UNOPENED, one.fateOf(mine));
    }

    private static void manyEnds(Scene scene) {
        Counts one = Counts.of(scene);
        long opened = one.sets(Kind.TRY_COUNT, 1);
        one.changes(Kind.COUNT_DOWN, 1);
        long ended = one.sets(Kind.RESET_COUNT, 1);
        for (int i = 0; i < MANY; i++) {
            one.changes(Kind.RESET_COUNT, 1);
        }
        assertEquals(Fate.UNKNOWN, one.fateOf(opened));
        assertEquals(Fate.UNKNOWN, one.fateOf(ended));
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void neverSet(Scene scene) {
        Counts one = Counts.of(scene);
        assertEquals(Fate.UNKNOWN, one.fateOf(1));
        long first = one.sets(Kind.TRY_COUNT, 1);
        assertEquals(Fate.UNKNOWN, one.fateOf(first - 1));
        assertEquals(Fate.UNKNOWN, one.fateOf(first + 1));
        one.changes(Kind.DELETE_COUNT, 0);
        assertEquals(Fate.UNKNOWN, one.fateOf(first + 1));
    }

    private static void life(Scene scene) {
        Counts one = Counts.of(scene);
        Duration life = scene.shortLease(one.client().capabilities());
        Change set = one.change(Kind.TRY_COUNT, 1);
        Change brief = new Change(set.kind(), set.name(), set.id(), 1, Optional.of(life), set.notAfter());
        assertTrue(one.applied(brief));
        long setting = one.latch(false).set().orElseThrow();
        scene.passLease(life);
        assertEquals(Fate.UNOPENED, one.fateOf(setting));
        assertTrue(one.latch(false).set().isEmpty());
        one.doesNothing(Kind.COUNT_DOWN, 1);
        one.changes(Kind.TRY_COUNT, 1);
        assertEquals(Fate.UNOPENED, one.fateOf(setting));
        one.changes(Kind.DELETE_COUNT, 0);
    }

    private static void list(Scene scene) {
        Counts one = Counts.of(scene);
        CounterStore store = one.client().store().counters();
        one.changes(Kind.TRY_COUNT, 3);
        one.changes(Kind.RESET_COUNT, 2);
        assertEquals(List.of(new LatchCount(scene.name(), 2)), scene.await(store.latches(scene.name())));
        assertEquals(List.of(), scene.await(store.latches(scene.name("-elsewhere"))));
        one.changes(Kind.COUNT_DOWN, 2);
        assertEquals(List.of(new LatchCount(scene.name(), 0)), scene.await(store.latches(scene.name())));
        one.changes(Kind.DELETE_COUNT, 0);
        assertEquals(List.of(), scene.await(store.latches(scene.name())));
        one.changes(Kind.TRY_PERMITS, 1);
        assertEquals(List.of(), scene.await(store.latches(scene.name())));
    }

    private static void another(Scene scene) {
        Counts one = Counts.with(scene, 3);
        TenureId lock = one.client().tenure();
        one.client().granted(lock);
        one.changes(Kind.TRY_COUNT, 2);
        one.gets(1);
        one.changes(Kind.COUNT_DOWN, 2);
        one.areFree(2);
        assertTrue(one.client().release(lock).held());
    }
}
