package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.TogetherStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A store of which every grant is wanted to be where this says. */
final class Safely extends ForwardingStore {

    private final Safety safety;

    private Safely(LockStore store, Safety safety) {
        super(store);
        this.safety = safety;
    }

    /** One that wants more than the server alone is not told of the run, so none is compared. */
    static Safely open(StoreConfig config, Safety safety) {
        Consumer<Signal> hear = signal ->
                config.signals().accept(signal instanceof Signal.Assigned assigned ? withoutRun(assigned) : signal);
        return new Safely(
                new RedisStoreProvider()
                        .open(
                                safety.equals(Safety.async())
                                        ? config
                                        : config.withClient(config.client(), hear, config.describer())),
                safety);
    }

    private static Signal.Assigned withoutRun(Signal.Assigned told) {
        return new Signal.Assigned(
                told.name(),
                told.tenure(),
                told.mode(),
                told.tokens(),
                told.foreignWaiters(),
                told.next(),
                told.expiresMicros(),
                0);
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
