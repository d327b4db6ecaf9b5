package io.holdfast.internal.engine;

import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Tenure;
import io.holdfast.internal.slot.Validity;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/** The store is asked for a name, and the slot is told what came of it. */
final class AcquireCall extends Calls.Call<Acquire.Reply> {

    private final Engine engine;
    private final Slot slot;
    private final Effect.Ask ask;
    private long begun;
    private long patience;
    private boolean counted;
    private List<Tenure> behind = List.of();

    AcquireCall(Engine engine, Slot slot, Effect.Ask ask) {
        this.engine = engine;
        this.slot = slot;
        this.ask = ask;
    }

    @Override
    long patience() {
        begun = engine.platform.nanoTime();
        patience = slot.locked(() -> slot.asks(ask.tenure(), begun));
        return patience;
    }

    @Override
    CompletionStage<Acquire.Reply> send() {
        return request()
                .map(engine.store::acquire)
                .orElseGet(() -> CompletableFuture.failedStage(
                        new StoreException(StoreException.Effect.NOT_APPLIED, "given up before it was sent")));
    }

    /** What to send, counted as a copy; empty if the tenure was given up. */
    Optional<Acquire> request() {
        Tenure tenure = ask.tenure();
        Duration within = engine.settings.store().commandTimeout();
        long notAfter = engine.store.clock(slot.name).notAfter(sent(), within);
        counted = slot.locked(() -> tenure.count(notAfter, ask.spec()));
        if (!counted) {
            return Optional.empty();
        }
        behind = slot.locked(() -> ask.behind().stream()
                .filter(follower -> follower.count(notAfter, follower.wanted()))
                .toList());
        return Optional.of(Acquire.of(slot.name, tenure.id, ask.spec().lease())
                .withShare(tenure.share)
                .queued(ask.queueing(), tenure.arrival)
                .withBehind(behind.stream()
                        .map(follower -> new Acquire.Place(
                                follower.id, follower.arrival, follower.wanted().lease()))
                        .toList())
                .withTokens(tenure.tokensWanted)
                .withNotAfter(notAfter)
                .withSafety(ask.spec().safety()));
    }

    @Override
    void replied(Acquire.Reply reply) {
        replied(reply, engine::run);
    }

    /** @param doing carries out what the slot wants done then */
    void replied(Acquire.Reply reply, BiConsumer<Slot, Effect.Buffer> doing) {
        engine.store.clock(slot.name).observe(sent(), reply.serverMicros());
        engine.measure(engine.platform.nanoTime() - sent());
        tell(doing, (s, out) -> {
            allAnswered();
            apply(s, reply, engine.platform.nanoTime(), out);
        });
    }

    /** Then what was given up meanwhile is settled on: released before this was applied, the store may have it again. */
    private void tell(BiConsumer<Slot, Effect.Buffer> doing, BiConsumer<Slot, Effect.Buffer> event) {
        doing.accept(slot, slot.on(event));
        engine.settlements.goOn(ask.tenure().settlement);
        behind.forEach(follower -> engine.settlements.goOn(follower.settlement));
    }

    private void allAnswered() {
        ask.tenure().copies.answered();
        behind.forEach(follower -> follower.copies.answered());
    }

    private void apply(Slot s, Acquire.Reply reply, long now, Effect.Buffer out) {
        if (reply instanceof Acquire.Granted granted) {
            placed(s, granted.behind());
            ask.tenure().permits = granted.permits();
            granted(s, granted, now, out);
        } else if (reply instanceof Acquire.Refused refused) {
            placed(s, refused.behind());
            var base = new Tenure.Base(sent(), skew(), refused.serverMicros(), refused.run());
            s.refused(ask.tenure(), refused, base, now, out);
        } else {
            placed(s, List.of());
            s.late(ask.tenure(), tooLate(), now, out);
        }
    }

    private void granted(Slot s, Acquire.Granted granted, long now, Effect.Buffer out) {
        Validity proven = proven(ask.spec().nanos());
        if (proven.alive(now) || ask.tenure().state != Tenure.State.WAITING) {
            s.granted(ask.tenure(), granted, proven, now, out);
        } else {
            s.outlasted(ask.tenure(), engine.inspector.outlasted(ask.spec()), now, out);
        }
    }

    private StoreException tooLate() {
        return new StoreException(
                StoreException.Effect.NOT_APPLIED,
                "requests reach " + engine.store.describe() + " too late: they take longer than the command timeout of "
                        + engine.settings.store().commandTimeout().toMillis() + " ms, or its clock was set");
    }

    /** Those that were given up before it was sent have no arrival. */
    private void placed(Slot s, List<Long> arrivals) {
        ask.behind().forEach(follower -> follower.inFlight = false);
        s.placed(behind, arrivals);
    }

    /** The request was refused, and nothing was written, perhaps because of another name in it: asks again, alone. */
    void refusedWithOthers() {
        tell(engine::run, (s, out) -> {
            allAnswered();
            s.repeat(ask.tenure(), engine.platform.nanoTime(), out);
        });
    }

    @Override
    void failed(StoreException cause, boolean late) {
        tell(engine::run, (s, out) -> {
            if (counted && !cause.effect().mayBeApplied()) {
                allAnswered();
            }
            if (!late) {
                placed(s, List.of());
                s.failed(ask.tenure(), told(s, cause), engine.platform.nanoTime(), out);
            }
        });
    }

    /** A request that was cut short by the patience of a waiter says less than the failure before it. */
    private StoreException told(Slot s, StoreException cause) {
        boolean cutShort = patience < engine.config.command() && engine.platform.nanoTime() - begun >= patience;
        return cutShort ? s.queue.trouble().orElse(cause) : cause;
    }
}
