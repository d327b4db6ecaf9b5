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

/**
 * One request that asks the store for a name. It passes the outcome to the slot as an event.
 *
 * <ol>
 *   <li>Each copy of the request is counted under the slot's mutex before it is sent. No copy is counted or sent once its
 *       tenure was given up. So no release is taken for the last one while a copy is still to be sent.
 *   <li>An answer is counted in the same event that applies it.
 *   <li>A copy whose outcome is unknown stays counted, because the store may still apply it.
 *   <li>A grant that was answered after its lease had ended counts for nobody.
 * </ol>
 */
final class AcquireCall extends Calls.Call<Acquire.Reply> {

    private final Engine engine;
    private final Slot slot;
    private final Effect.Request ask;
    private long begun;
    private long patience;
    private boolean counted;
    private List<Tenure> behind = List.of();

    AcquireCall(Engine engine, Slot slot, Effect.Request ask) {
        this.engine = engine;
        this.slot = slot;
        this.ask = ask;
    }

    @Override
    long patience() {
        begun = engine.platform.nanoTime();
        patience = slot.locked(() -> slot.onSend(ask.tenure(), begun));
        return patience;
    }

    @Override
    CompletionStage<Acquire.Reply> send() {
        return request()
                .map(engine.store::acquire)
                .orElseGet(() -> CompletableFuture.failedStage(
                        new StoreException(StoreException.Effect.NOT_APPLIED, "withdrawn before it was sent")));
    }

    /** Returns the request, and counts it as a copy; empty if the tenure was given up. */
    Optional<Acquire> request() {
        Tenure tenure = ask.tenure();
        Duration within = engine.settings.store().commandTimeout();
        long notAfter = engine.store.clock(slot.name).notAfter(sent(), within);
        counted = slot.locked(() -> tenure.countCopy(notAfter, ask.spec()));
        if (!counted) {
            return Optional.empty();
        }
        behind = slot.locked(() -> ask.behind().stream()
                .filter(follower -> follower.countCopy(notAfter, follower.spec()))
                .toList());
        return Optional.of(Acquire.of(slot.name, tenure.id, ask.spec().lease())
                .withShare(tenure.share)
                .queued(ask.queueing(), tenure.arrival)
                .withWaited(tenure.waited(sent()))
                .withBehind(behind.stream()
                        .map(follower -> new Acquire.Place(
                                follower.id, follower.arrival, follower.spec().lease(), follower.waited(sent())))
                        .toList())
                .withTokens(tenure.tokens.requestSize)
                .withNotAfter(notAfter));
    }

    @Override
    void replied(Acquire.Reply reply) {
        replied(reply, engine::run);
    }

    /**
     * Applies the reply to the slot.
     *
     * @param doing carries out the effects of the slot
     */
    void replied(Acquire.Reply reply, BiConsumer<Slot, Effect.Buffer> doing) {
        engine.store.clock(slot.name).observe(sent(), reply.serverMicros());
        engine.measure(engine.platform.nanoTime() - sent());
        tell(doing, (s, out) -> {
            allAnswered();
            apply(s, reply, engine.platform.nanoTime(), out);
        });
    }

    /**
     * Runs an event of the slot, and then resumes the settlements of tenures that were given up in the meantime. A release that
     * was answered before this request was applied proves nothing: the store may hold the tenure again.
     */
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
            var base = new Tenure.ClockSample(sent(), skew(), refused.serverMicros(), refused.run());
            s.refused(ask.tenure(), refused, base, now, out);
        } else {
            placed(s, List.of());
            s.late(ask.tenure(), tooLate(), now, out);
        }
    }

    private void granted(Slot s, Acquire.Granted granted, long now, Effect.Buffer out) {
        Validity proven = proven(ask.spec().nanos(), granted.valid());
        if (proven.unexpired(now) || ask.tenure().state != Tenure.State.WAITING) {
            s.granted(ask.tenure(), granted, proven, now, out);
        } else {
            s.grantExpired(ask.tenure(), engine.inspector.outlasted(ask.spec()), now, out);
        }
    }

    private StoreException tooLate() {
        return new StoreException(
                StoreException.Effect.NOT_APPLIED,
                "requests reach " + engine.store.describe() + " too late: they take longer than the command timeout of "
                        + engine.settings.store().commandTimeout().toMillis() + " ms, or its clock was changed");
    }

    /**
     * Passes the arrivals of the followers to the slot. A follower that was given up before the request was sent has no
     * arrival.
     */
    private void placed(Slot s, List<Long> arrivals) {
        s.placed(behind, arrivals);
        ask.behind().forEach(Tenure::endRequest);
    }

    /**
     * Asks again for this name alone. The store refused the whole request and wrote nothing, perhaps because of another name in
     * it.
     */
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

    /**
     * Returns the cause to report. A request that was cut short by the patience of a waiter says less than the failure before
     * it.
     */
    private StoreException told(Slot s, StoreException cause) {
        boolean cutShort = patience < engine.config.command() && engine.platform.nanoTime() - begun >= patience;
        return cutShort ? s.queue.lastFailure().orElse(cause) : cause;
    }
}
