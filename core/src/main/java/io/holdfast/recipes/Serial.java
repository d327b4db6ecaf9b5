package io.holdfast.recipes;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A serializer, which runs events one at a time, in the order in which they were submitted.
 *
 * <p>An event runs on the thread that submits it if no event is running, and otherwise on the thread that runs events now. So
 * no lock is held while an event runs.
 *
 * <p>An action that may run user code is deferred until no event is running. User code may submit events of its own, and wait
 * for them.
 */
final class Serial {

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> putOff = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final Consumer<Throwable> failed;

    Serial(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    void run(Runnable event) {
        events.add(event);
        if (count.getAndIncrement() == 0) {
            do {
                guarded(events.remove());
            } while (count.decrementAndGet() != 0);
            for (Runnable next = putOff.poll(); next != null; next = putOff.poll()) {
                guarded(next);
            }
        }
    }

    /** Defers an action of the current event until no event is running. */
    void afterwards(Runnable action) {
        putOff.add(action);
    }

    private void guarded(Runnable event) {
        try {
            event.run();
        } catch (Throwable e) {
            failed.accept(e);
        }
    }
}
