package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renew;
import io.holdfast.spi.TogetherStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store of which every grant is wanted to be where this says. */
final class Safely extends ForwardingStore {

    private final Safety safety;

    Safely(LockStore store, Safety safety) {
        super(store);
        this.safety = safety;
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return super.acquire(request.withSafety(safety));
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return super.renew(
                batch.stream().map(request -> request.withSafety(safety)).toList());
    }

    @Override
    public Optional<TogetherStore> together() {
        return super.together().map(store -> new TogetherStore() {
            @Override
            public boolean together(String name, String other) {
                return store.together(name, other);
            }

            @Override
            public CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all) {
                return store.acquire(
                        all.stream().map(request -> request.withSafety(safety)).toList());
            }
        });
    }
}
