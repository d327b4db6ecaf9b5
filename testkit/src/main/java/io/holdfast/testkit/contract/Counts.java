package io.holdfast.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.Acquire.Queueing;
import io.holdfast.spi.Change;
import io.holdfast.spi.Change.Kind;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** The requests of a client for the semaphore and the latch of the name under test. */
record Counts(Scene scene, TestClient client) {

    static Counts of(Scene scene) {
        return new Counts(scene, scene.client());
    }

    /** Returns the requests for a semaphore with the given number of permits. */
    static Counts with(Scene scene, int permits) {
        Counts counts = of(scene);
        counts.changes(Kind.TRY_PERMITS, permits);
        return counts;
    }

    private CounterStore store() {
        return client.store().counters();
    }

    // ---- changes

    Change change(Kind kind, int amount) {
        return new Change(kind, scene.name(), client.tenure(), amount, Optional.empty(), client.notAfter(scene.name()));
    }

    Change.Reply reply(Change change) {
        return scene.await(store().change(change));
    }

    boolean applied(Change change) {
        return assertInstanceOf(Change.Done.class, reply(change)).applied();
    }

    /** Requires that a copy of a change changes nothing, after a later change of its client. It may then fail as unknown. */
    void isAppliedOrForgotten(Change copy) {
        CompletionStage<Change.Reply> reply = store().change(copy);
        Optional<Throwable> failure = scene.await(
                reply.handle((answer, e) -> Optional.ofNullable(e instanceof CompletionException ? e.getCause() : e)));
        if (failure.isEmpty()) {
            assertTrue(assertInstanceOf(Change.Done.class, scene.await(reply)).applied());
        } else {
            StoreException unknown = assertInstanceOf(StoreException.class, failure.get());
            assertEquals(StoreException.Effect.UNKNOWN, unknown.effect());
        }
    }

    void changes(Kind kind, int amount) {
        assertEquals(true, applied(change(kind, amount)), () -> kind + " " + amount);
    }

    void doesNothing(Kind kind, int amount) {
        assertEquals(false, applied(change(kind, amount)), () -> kind + " " + amount);
    }

    void isRefused(Change change) {
        refusedForGood(scene.awaitFailure(store().change(change)));
    }

    private static void refusedForGood(Throwable failure) {
        StoreException refused = assertInstanceOf(StoreException.class, failure);
        assertEquals(StoreException.Effect.REFUSED, refused.effect());
    }

    // ---- permits

    Acquire wants(TenureId tenure, int permits) {
        return client.request(tenure).withShare(Share.permits(permits));
    }

    Acquire waits(TenureId tenure, int permits) {
        return wants(tenure, permits).queued(Queueing.BARGING, 0);
    }

    Acquire inLine(TenureId tenure, int permits) {
        return wants(tenure, permits).queued(Queueing.FAIR, 0);
    }

    TenureId gets(int permits) {
        return gets(permits, Scene.LONG);
    }

    TenureId gets(int permits, Duration lease) {
        TenureId tenure = client.tenure();
        client.granted(wants(tenure, permits).withLease(lease));
        return tenure;
    }

    TenureId waitsFor(int permits) {
        TenureId tenure = client.tenure();
        client.refused(waits(tenure, permits));
        return tenure;
    }

    TenureId isInLineFor(int permits) {
        TenureId tenure = client.tenure();
        client.refused(inLine(tenure, permits));
        return tenure;
    }

    void isRefused(Acquire request) {
        refusedForGood(scene.awaitFailure(client.store().acquire(request)));
    }

    boolean releases(TenureId tenure) {
        return release(tenure).held();
    }

    Release.Reply release(TenureId tenure) {
        return client.release(
                Release.of(scene.name(), tenure).withMode(Mode.PERMITS).withYield(true));
    }

    Renew.Reply renew(TenureId tenure, Duration lease) {
        return client.renew(new Renew(scene.name(), tenure, Mode.PERMITS, lease, 0));
    }

    boolean revokes(TenureId permit) {
        return scene.await(store().revoke(scene.name(), permit));
    }

    PermitReport permits() {
        return scene.await(store().permits(scene.name()));
    }

    void areFree(int count) {
        assertEquals(count, permits().of(scene.name()).free(), "free");
    }

    // ---- the latch

    LatchReport latch(boolean listening) {
        return scene.await(store().latch(scene.name(), listening));
    }

    /** Sets the latch, and returns the number of the new setting. */
    long sets(Kind kind, int count) {
        changes(kind, count);
        return latch(false).set().orElseThrow();
    }

    LatchReport.Fate fateOf(long setting) {
        return latch(false).of(setting);
    }

    void countIs(int count) {
        assertEquals(count, latch(false).count(), "count");
    }
}
