package io.holdfast.internal.quorum;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs events one at a time and in order, on whichever thread brings one while none runs. So no lock is held meanwhile. */
final class Serial {

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
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
        }
    }

    private void guarded(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            failed.accept(e);
        }
    }
}
