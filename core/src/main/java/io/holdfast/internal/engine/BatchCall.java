package io.holdfast.internal.engine;

import io.holdfast.internal.slot.Effect;
import io.holdfast.internal.slot.Slot;
import io.holdfast.internal.slot.Waiter;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TogetherStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A batch call, which collects the requests of several slots and sends them as one request.
 *
 * <ol>
 *   <li>Each slot has its own share of the answer, as if it had asked alone, and counts its own copies. So each name settles an
 *       answer that is late, lost, failed, or came after the timeout by the rules of its slot.
 *   <li>Requests that are repeated at once, because the request was late, are sent together again. Requests that are repeated
 *       later are sent alone.
 *   <li>If the store refuses the whole request, each name is requested alone. The store names the cause for one name only, and
 *       the waiters of the others must not be refused with it.
 * </ol>
 */
public final class BatchCall {

    private final Engine engine;
    private final TogetherStore store;
    private final List<AcquireCall> asks = new ArrayList<>();

    BatchCall(Engine engine, TogetherStore store) {
        this.engine = engine;
        this.store = store;
    }

    /** Adds a waiter to the slot of its name. If the slot asks the store, the request is collected. */
    public Slot arrive(String name, Waiter waiter) {
        return engine.waits.arrive(name, waiter, this::run);
    }

    /** Carries out the effects of the slot, except its requests, which are collected. */
    private void run(Slot slot, Effect.Buffer out) {
        for (Effect effect : out.effects()) {
            if (effect instanceof Effect.Request ask && ask.queueing() == Acquire.Queueing.NONE) {
                asks.add(new AcquireCall(engine, slot, ask));
            } else {
                engine.runGuarded(slot, effect);
            }
        }
    }

    /** Sends the collected requests. */
    public void send() {
        if (asks.size() == 1) {
            engine.calls.start(asks.get(0));
        } else if (!asks.isEmpty()) {
            engine.calls.start(new Request());
        }
    }

    private final class Request extends Calls.Call<List<Acquire.Reply>> {

        @Override
        public CompletionStage<List<Acquire.Reply>> send() {
            asks.forEach(ask -> ask.sentWith(this));
            List<Acquire> all = asks.stream()
                    .map(AcquireCall::request)
                    .flatMap(Optional::stream)
                    .toList();
            return all.size() == asks.size()
                    ? store.acquire(all).thenApply(this::complete)
                    : CompletableFuture.failedStage(
                            new StoreException(StoreException.Effect.NOT_APPLIED, "withdrawn before it was sent"));
        }

        /**
         * Checks that each name has a reply. Otherwise the whole request fails, so that nobody waits for a reply that does not
         * come.
         */
        private List<Acquire.Reply> complete(List<Acquire.Reply> replies) {
            if (replies.size() != asks.size()) {
                throw unreadable("sent " + replies.size() + " replies for " + asks.size() + " names", null);
            }
            return replies;
        }

        private StoreException unreadable(String what, @Nullable Throwable cause) {
            return new StoreException(StoreException.Effect.UNKNOWN, engine.store.describe() + " " + what, cause);
        }

        @Override
        void replied(List<Acquire.Reply> replies) {
            BatchCall again = new BatchCall(engine, store);
            for (int i = 0; i < asks.size(); i++) {
                replied(asks.get(i), replies.get(i), again);
            }
            again.send();
        }

        private void replied(AcquireCall ask, Acquire.Reply reply, BatchCall again) {
            try {
                ask.replied(reply, again::run);
            } catch (Throwable e) {
                engine.events.failure("an answer of " + engine.store.describe(), e);
                ask.failed(unreadable("sent a reply that cannot be read: " + e, e), false);
            }
        }

        @Override
        void failed(StoreException cause, boolean late) {
            boolean refused = !late && cause.effect() == StoreException.Effect.REFUSED;
            asks.forEach(refused ? AcquireCall::refusedWithOthers : ask -> ask.failed(cause, late));
        }
    }
}
