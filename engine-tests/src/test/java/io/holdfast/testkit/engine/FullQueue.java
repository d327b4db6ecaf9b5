package io.holdfast.testkit.engine;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store whose queue has no room for any position of this client. */
final class FullQueue extends ForwardingStore {

    FullQueue(LockStore store) {
        super(store);
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        List<Long> none = request.behind().stream().map(place -> 0L).toList();
        return super.acquire(request.queued(Acquire.Queueing.NONE, 0).withBehind(List.of()))
                .thenApply(reply -> reply instanceof Acquire.Refused refused
                        ? new Acquire.Refused(
                                refused.retryAfter(), 0, none, refused.holder(), refused.serverMicros(), 0)
                        : reply);
    }
}
