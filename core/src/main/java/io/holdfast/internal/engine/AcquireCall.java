package io.holdfast.internal.engine;

import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.ErrorTexts;
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
 * A request for one name. It passes its outcome to the slot as an event.
 *
 * <ol>
 *   <li>Each copy of the request is counted under the slot's mutex before it is sent. After the slot has begun to release the
 *       tenure, no copy is counted or sent. Otherwise a release could be taken for the last one while a copy is still to be
 *       sent.
 *   <li>An answer is counted in the same event that applies it.
 *   <li>A copy whose outcome is unknown stays counted, because the store may still apply it.
 *   <li>No waiter receives a grant whose lease ended before the answer arrived.
 * </ol>
 */
final class AcquireCall extends Calls.Call<Acquire.Reply> {

    private final Engine engine;
    private final Slot slot;
    private final Effect.Request ask;
    private long startedAt;
    private long maxWait;
    private boolean counted;
    private List<Tenure> followers = List.of();

    AcquireCall(Engine engine, Slot slot, Effect.Request ask) {
        this.engine = engine;
        this.slot = slot;
        this.ask = ask;
    }

    @Override
    long maxWait() {
        startedAt = engine.platform.nanoTime();
        maxWait = slot.locked(() -> slot.onSend(ask.tenure(), startedAt));
        return maxWait;
    }

    @Override
    CompletionStage<Acquire.Reply> send() {
        return request()
                .map(engine.store::acquire)
                .orElseGet(() -> CompletableFuture.failedStage(
                        new StoreException(StoreException.Effect.NOT_APPLIED, "withdrawn before it was sent")));
    }

    /** Returns the request, and counts it as a copy. The result is empty if the tenure is being released. */
    private Optional<Acquire> request() {
        Tenure tenure = ask.tenure();
        Duration within = engine.settings.store().commandTimeout();
        long notAfter = engine.store.clock(slot.name).notAfter(sent(), within);
        counted = slot.locked(() -> tenure.countCopy(notAfter, ask.spec()));
        if (!counted) {
            return Optional.empty();
        }
        followers = slot.locked(() -> ask.behind().stream()
                .filter(follower -> follower.countCopy(notAfter, follower.spec()))
                .toList());
        return Optional.of(Acquire.of(slot.name, tenure.id, ask.spec().lease())
                .withShare(tenure.share)
                .withMinHold(ask.spec().coveredMinHold())
                .queued(ask.queueing(), tenure.arrival)
                .withWaited(tenure.waited(sent()))
                .withBehind(followers.stream()
                        .map(follower -> new Acquire.Place(
                                follower.id, follower.arrival, follower.spec().lease(), follower.waited(sent())))
                        .toList())
                .withTokens(tenure.tokens.requestSize)
                .withNotAfter(notAfter));
    }

    @Override
    void replied(Acquire.Reply reply) {
        engine.store.clock(slot.name).observe(sent(), reply.serverMicros());
        engine.recordRoundTrip(engine.platform.nanoTime() - sent());
        dispatch((s, out) -> {
            countAnswers();
            apply(s, reply, engine.platform.nanoTime(), out);
        });
    }

    /**
     * Runs an event of the slot, and then resumes the settlements of tenures whose release has begun in the meantime. The store
     * may apply this request after it has answered a release (reordering). It then holds the tenure again, so that release
     * proves nothing.
     */
    private void dispatch(BiConsumer<Slot, Effect.Buffer> event) {
        engine.event(slot, event);
        engine.settlements.resume(ask.tenure().settlement);
        followers.forEach(follower -> engine.settlements.resume(follower.settlement));
    }

    private void countAnswers() {
        ask.tenure().copies.answered();
        followers.forEach(follower -> follower.copies.answered());
    }

    private void apply(Slot s, Acquire.Reply reply, long now, Effect.Buffer out) {
        if (reply instanceof Acquire.Granted granted) {
            setArrivals(s, granted.behind());
            ask.tenure().permits = granted.permits();
            granted(s, granted, now, out);
        } else if (reply instanceof Acquire.Refused refused) {
            setArrivals(s, refused.behind());
            var base = new Tenure.ClockSample(sent(), skew(), refused.serverMicros(), refused.run());
            s.refused(ask.tenure(), refused, base, now, out);
        } else {
            setArrivals(s, List.of());
            s.late(
                    ask.tenure(),
                    ErrorTexts.tooLate(
                            engine.store.describe(), engine.settings.store().commandTimeout()),
                    now,
                    out);
        }
    }

    private void granted(Slot s, Acquire.Granted granted, long now, Effect.Buffer out) {
        Validity proven = proven(ask.spec().nanos(), granted.valid());
        if (proven.unexpired(now) || ask.tenure().state != Tenure.State.WAITING) {
            s.granted(ask.tenure(), granted, proven, now, out);
        } else {
            s.grantExpired(ask.tenure(), engine.inspector.leaseTooShort(ask.spec()), now, out);
        }
    }

    /**
     * Passes the arrivals of the followers to the slot. A follower has no arrival if its release began before the request was
     * sent.
     */
    private void setArrivals(Slot s, List<Long> arrivals) {
        s.placed(followers, arrivals);
        ask.behind().forEach(Tenure::endRequest);
    }

    @Override
    void failed(StoreException cause, boolean late) {
        dispatch((s, out) -> {
            if (counted && !cause.effect().mayBeApplied()) {
                countAnswers();
            }
            if (!late) {
                setArrivals(s, List.of());
                s.failed(ask.tenure(), causeToReport(s, cause), engine.platform.nanoTime(), out);
            }
        });
    }

    /**
     * Returns the cause to report. If the time limit of a waiter cut the request short, the failure before it says more than
     * the timeout.
     */
    private StoreException causeToReport(Slot s, StoreException cause) {
        boolean cutShort = maxWait < engine.config.command() && engine.platform.nanoTime() - startedAt >= maxWait;
        return cutShort ? s.queue.lastFailure().orElse(cause) : cause;
    }
}
