package io.holdfast.internal.lock;

import io.holdfast.LockReport;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.engine.Engine;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The services of the engine for recipes. */
public record EngineClientAccess(Engine engine) implements ClientAccess {

    @Override
    public Platform platform() {
        return engine.platform;
    }

    @Override
    public Duration maxOutage() {
        return engine.settings.maxOutage();
    }

    @Override
    public Platform.Task later(Duration delay, Runnable task) {
        return engine.timers.run(Durations.nanos(delay), () -> {
            if (!engine.closed) {
                task.run();
            }
        });
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        if (engine.closed) {
            throw ErrorTexts.closed("lock '" + name + "'", engine.settings.name());
        }
        return engine.calls.ask(() -> engine.store.inspect(name));
    }

    @Override
    public void callBack(String what, Runnable code) {
        engine.threads.callbacks().execute(engine.guarded(what, code));
    }

    @Override
    public void failed(String what, Throwable error) {
        engine.failed(what, error);
    }
}
