package io.holdfast.testkit.faults;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.faults.Faults.Fate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which requests, replies and signals are lost, late, duplicated, or held back, as {@link Faults} determine.
 */
public final class FaultyStore implements LockStore {

    private final StoreConfig config;
    private final Faults faults;
    private final LockStore store;
    private final Platform.Timer timer;
    private final Platform.Worker worker;

    private FaultyStore(StoreConfig config, Function<StoreConfig, LockStore> opener, Faults faults) {
        this.config = config;
        this.faults = faults;
        String name = "holdfast-" + config.client().id() + "-faults";
        timer = config.platform().timer(name);
        worker = config.platform().worker(name, 4);
        store = opener.apply(config.withClient(config.client(), this::signal, config.describer()));
        faults.onOutageEnd(() -> later(0, () -> config.signals().accept(new Signal.Gap())));
    }

    /** Opens a store behind a connection with faults. */
    public static FaultyStore open(StoreConfig config, Function<StoreConfig, LockStore> opener, Faults faults) {
        return new FaultyStore(config, opener, faults);
    }

    /** Returns the faults of this connection. */
    public Faults faults() {
        return faults;
    }

    /** Returns the id of the client of this connection. */
    public String clientId() {
        return config.client().id();
    }

    @Override
    public Capabilities capabilities() {
        Capabilities able = store.capabilities();
        return faults.untilNextLook().isPresent() ? able.withSignals(Capabilities.Signals.LOOKED) : able;
    }

    @Override
    public String describe() {
        return store.describe();
    }

    @Override
    public CounterStore counters() {
        return new FaultyCounters(this, store.counters());
    }

    @Override
    public ServerClock clock(String name) {
        return store.clock(name);
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return call(Operation.ACQUIRE, request, () -> store.acquire(request), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return call(Operation.RENEW, batch, () -> store.renew(batch), () -> unknown(batch));
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        return call(Operation.RELEASE, request, () -> store.release(request), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return call(Operation.FORCE_RELEASE, name, () -> store.forceRelease(name), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return call(Operation.INSPECT, name, () -> store.inspect(name), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return call(Operation.LIST, prefix, () -> store.list(prefix), FaultyStore::unknown);
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return call(Operation.CONFIRM_SIGNALS, "", store::confirmSignals, FaultyStore::unknown);
    }

    @Override
    public void close() {
        store.close();
        timer.close();
        worker.close();
    }

    <T> CompletionStage<T> call(
            Operation operation,
            Object what,
            Supplier<CompletionStage<T>> apply,
            Supplier<CompletionStage<T>> unknown) {
        if (faults.isOutage()) {
            return failed(Effect.NOT_APPLIED, "the store cannot be reached");
        }
        Fate fate = faults.fateOf(operation, what);
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (fate.request().isPresent()) {
            fate.request().get().catchIt(() -> pass(apply.get(), reply));
            return reply;
        }
        if (fate.reply().isPresent()) {
            apply.get().whenComplete((value, e) -> fate.reply().get().catchIt(() -> complete(reply, value, e)));
            return reply;
        }
        return fate.fault().map(fault -> suffer(fault, apply, unknown)).orElseGet(apply);
    }

    private <T> CompletionStage<T> suffer(
            Fault fault, Supplier<CompletionStage<T>> apply, Supplier<CompletionStage<T>> unknown) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        switch (fault) {
            case DROP_REQUEST -> timeOutOrNot(unknown, reply);
            case DROP_REPLY -> {
                applyOnly(apply);
                timeOutOrNot(unknown, reply);
            }
            case DELAY_REQUEST -> later(faults.delayNanos(), () -> pass(apply.get(), reply));
            case DELAY_REPLY ->
                apply.get().whenComplete((value, e) -> later(faults.delayNanos(), () -> complete(reply, value, e)));
            case DOUBLE_REQUEST -> {
                pass(apply.get(), reply);
                later(faults.delayNanos(), () -> applyOnly(apply));
            }
            case FAIL_AFTER -> {
                applyOnly(apply);
                return unknown.get();
            }
            default -> {
                return failed(Effect.NOT_APPLIED, "the request was refused before it was applied");
            }
        }
        return reply;
    }

    /** Answers a lost reply as a client library that times out, or not at all. */
    private <T> void timeOutOrNot(Supplier<CompletionStage<T>> unknown, CompletableFuture<T> reply) {
        if (faults.chance(0.5)) {
            later(config.commandTimeout().toNanos(), () -> pass(unknown.get(), reply));
        }
    }

    private void signal(Signal signal) {
        if (faults.isOutage()) {
            return;
        }
        Fate fate = faults.fateOf(Operation.SIGNAL, signal);
        Runnable accept = () -> config.signals().accept(signal);
        Runnable deliver = () -> faults.untilNextLook().ifPresentOrElse(nanos -> later(nanos, accept), accept);
        if (fate.reply().isPresent()) {
            fate.reply().get().catchIt(deliver);
        } else if (fate.fault().isEmpty()) {
            deliver.run();
        } else if (fate.fault().get() == Fault.DELAY_SIGNAL) {
            later(faults.delayNanos(), deliver);
        } else if (fate.fault().get() == Fault.DOUBLE_SIGNAL) {
            deliver.run();
            later(faults.delayNanos(), deliver);
        }
    }

    private void later(long nanos, Runnable task) {
        var unused = timer.schedule(nanos, store.capabilities().blocking() ? () -> worker.execute(task) : task);
    }

    private static <T> void applyOnly(Supplier<CompletionStage<T>> apply) {
        pass(apply.get(), new CompletableFuture<>());
    }

    private static <T> void pass(CompletionStage<T> from, CompletableFuture<T> to) {
        from.whenComplete((value, e) -> complete(to, value, e));
    }

    private static <T> void complete(CompletableFuture<T> reply, T value, @Nullable Throwable e) {
        if (e == null) {
            reply.complete(value);
        } else {
            reply.completeExceptionally(e);
        }
    }

    static <T> CompletionStage<T> unknown() {
        return failed(Effect.UNKNOWN, "no answer came");
    }

    private static CompletionStage<List<Renew.Reply>> unknown(List<Renew> batch) {
        StoreException cause = new StoreException(Effect.UNKNOWN, "no answer came");
        return CompletableFuture.completedFuture(batch.stream()
                .<Renew.Reply>map(request -> new Renew.Failed(cause))
                .toList());
    }

    private static <T> CompletionStage<T> failed(Effect effect, String message) {
        return CompletableFuture.failedFuture(new StoreException(effect, message));
    }
}
