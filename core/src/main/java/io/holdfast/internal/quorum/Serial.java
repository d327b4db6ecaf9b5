package io.holdfast.internal.quorum;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs events one at a time and in order, on whichever thread brings one while none runs. So no lock is held meanwhile.
 *
 * <p>What may run users' code is put off until no event runs: it may bring events of its own, and wait for them.
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

    /** Of an event: runs this when no event runs. */
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
