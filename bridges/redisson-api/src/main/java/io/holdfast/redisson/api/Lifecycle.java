package io.holdfast.redisson.api;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/** The methods of a client that are about its end. They close the Holdfast client, and shut the other client down. */
final class Lifecycle {

    private final Holdfast holdfast;
    private final @Nullable RedissonClient rest;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    Lifecycle(Holdfast holdfast, @Nullable RedissonClient rest) {
        this.holdfast = holdfast;
        this.rest = rest;
    }

    public void shutdown() {
        end(() -> {
            if (rest != null) {
                rest.shutdown();
            }
        });
    }

    public void shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        end(() -> {
            if (rest != null) {
                rest.shutdown(quietPeriod, timeout, unit);
            }
        });
    }

    private void end(Runnable shutdownRest) {
        begun.set(true);
        try {
            holdfast.close();
        } finally {
            shutdownRest.run();
        }
        ended.set(true);
    }

    public CompletionStage<Void> shutdownAsync() {
        return CompletableFuture.runAsync(this::shutdown, Lifecycle::start);
    }

    public CompletionStage<Void> shutdownAsync(Duration quietPeriod, Duration timeout) {
        return CompletableFuture.runAsync(
                () -> shutdown(quietPeriod.toMillis(), timeout.toMillis(), TimeUnit.MILLISECONDS), Lifecycle::start);
    }

    /** Runs the task on a thread that keeps the JVM alive until it has ended. */
    private static void start(Runnable task) {
        new Thread(null, task, "holdfast-redisson-api-shutdown", 0, false).start();
    }

    public String getId() {
        return rest != null ? rest.getId() : holdfast.clientId();
    }

    public boolean isShuttingDown() {
        return begun.get();
    }

    public boolean isShutdown() {
        return ended.get();
    }

    @Override
    public String toString() {
        return "RedissonClient over " + holdfast;
    }
}
