package io.holdfast.recipes;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A serializer, which runs events one at a time, in the order in which they were submitted.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The count is the number of events that are queued or running. The thread that raises it from zero runs events until it
 *       is zero again. So exactly one thread runs events, and no event is missed.
 *   <li>No lock is held while an event runs.
 *   <li>Deferred actions run while no event is running. They may run user code, which may submit events and wait for them.
 * </ol>
 *
 * <p>See the {@code SerialExecutor} in the documentation of {@link java.util.concurrent.Executor}, which hands events to
 * another thread instead.
 */
final class Serial {

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> deferred = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Consumer<Throwable> errorHandler;

    Serial(Consumer<Throwable> errorHandler) {
        this.errorHandler = errorHandler;
    }

    void run(Runnable event) {
        events.add(event);
        if (count.getAndIncrement() == 0) {
            do {
                guarded(events.remove());
            } while (count.decrementAndGet() != 0);
            for (Runnable next = deferred.poll(); next != null; next = deferred.poll()) {
                guarded(next);
            }
        }
    }

    /** Defers an action of the current event until no event is running. */
    void defer(Runnable action) {
        deferred.add(action);
    }

    private void guarded(Runnable event) {
        // a handler that fails as well must not end the loop, because the later events would never run
        Relay.guarded(() -> Relay.guarded(event, errorHandler), again -> {});
    }
}
