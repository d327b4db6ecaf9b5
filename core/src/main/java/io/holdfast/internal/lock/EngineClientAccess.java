package io.holdfast.internal.lock;

import io.holdfast.LockReport;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.engine.Tasks;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The operations of a client for recipes, carried out by the engine. */
public record EngineClientAccess(ClientParts client) implements ClientAccess {

    @Override
    public Platform platform() {
        return client.platform();
    }

    @Override
    public Duration maxOutage() {
        return client.settings().maxOutage();
    }

    @Override
    public Platform.Task later(Duration delay, Runnable task) {
        return client.tasks().run(Durations.nanos(delay), () -> {
            if (!client.tasks().isClosed()) {
                task.run();
            }
        });
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return client.inspector().inspectAsync(name);
    }

    @Override
    public void callBack(String what, Runnable code) {
        client.tasks().runCallback(Tasks.Callback.PLAIN, what, code);
    }

    @Override
    public void callBackAtEnd(String what, Runnable code) {
        client.tasks().runCallback(Tasks.Callback.END, what, code);
    }

    @Override
    public void failed(String what, Throwable error) {
        client.tasks().logFailure(what, error);
    }
}
