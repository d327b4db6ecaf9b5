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
 * A batch of requests of several slots, which is sent as one call to the store.
 *
 * <ol>
 *   <li>Each slot receives its own share of the answer, as if it had asked alone, and counts its own copies. So a late, lost or
 *       failed answer is settled for each name by the rules of its slot.
 *   <li>Requests that reached the store too late are repeated at once, again as one batch. Requests that are repeated later are
 *       sent alone.
 *   <li>If the store refuses the whole batch, each name is requested alone. The store names the cause for one name only. The
 *       waiters for the other names must not be refused with it.
 * </ol>
 */
public final class BatchCall {

    private final Engine engine;
    private final TogetherStore store;
    private final List<AcquireCall> calls = new ArrayList<>();

    BatchCall(Engine engine, TogetherStore store) {
        this.engine = engine;
        this.store = store;
    }

    /** Adds a waiter to the slot of its name. The request of the slot is collected, if there is one. */
    public Slot arrive(String name, Waiter waiter) {
        return engine.waits.arrive(name, waiter, this::run);
    }

    /** Collects the requests of the slot, and carries out its other effects. */
    private void run(Slot slot, Effect.Buffer out) {
        for (Effect effect : out.effects()) {
            if (effect instanceof Effect.Request ask && ask.queueing() == Acquire.Queueing.NONE) {
                calls.add(new AcquireCall(engine, slot, ask));
            } else {
                engine.runGuarded(slot, effect);
            }
        }
    }

    /** Sends the collected requests. */
    public void send() {
        if (calls.size() == 1) {
            engine.calls.start(calls.get(0));
        } else if (!calls.isEmpty()) {
            engine.calls.start(new Request());
        }
    }

    private final class Request extends Calls.Call<List<Acquire.Reply>> {

        @Override
        public CompletionStage<List<Acquire.Reply>> send() {
            calls.forEach(call -> call.sentWith(this));
            List<Acquire> all = calls.stream()
                    .map(AcquireCall::request)
                    .flatMap(Optional::stream)
                    .toList();
            return all.size() == calls.size()
                    ? store.acquire(all).thenApply(this::requireAll)
                    : CompletableFuture.failedStage(
                            new StoreException(StoreException.Effect.NOT_APPLIED, "withdrawn before it was sent"));
        }

        /**
         * Requires a reply for each name. Otherwise the whole batch fails, so that no waiter waits for a reply that never
         * comes.
         */
        private List<Acquire.Reply> requireAll(List<Acquire.Reply> replies) {
            if (replies.size() != calls.size()) {
                throw unreadable("sent " + replies.size() + " replies for " + calls.size() + " names", null);
            }
            return replies;
        }

        private StoreException unreadable(String what, @Nullable Throwable cause) {
            return new StoreException(StoreException.Effect.UNKNOWN, engine.store.describe() + " " + what, cause);
        }

        @Override
        void replied(List<Acquire.Reply> replies) {
            BatchCall retry = new BatchCall(engine, store);
            for (int i = 0; i < calls.size(); i++) {
                replied(calls.get(i), replies.get(i), retry);
            }
            retry.send();
        }

        private void replied(AcquireCall call, Acquire.Reply reply, BatchCall retry) {
            try {
                call.replied(reply, retry::run);
            } catch (Throwable e) {
                engine.events.failure("an answer of " + engine.store.describe(), e);
                call.failed(unreadable("sent a reply that cannot be read: " + e, e), false);
            }
        }

        @Override
        void failed(StoreException cause, boolean late) {
            boolean refused = !late && cause.effect() == StoreException.Effect.REFUSED;
            calls.forEach(refused ? AcquireCall::batchRefused : call -> call.failed(cause, late));
        }
    }
}
