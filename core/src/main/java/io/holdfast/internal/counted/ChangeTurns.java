package io.holdfast.internal.counted;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A serial executor for the changes of each counter. A client has at most one change of a counter under way. The other changes
 * wait in the order of their arrival.
 *
 * <ol>
 *   <li>A counter has an entry in the map while a change of it is under way. An entry is created, filled and removed by atomic
 *       steps of {@link ConcurrentHashMap#compute}.
 *   <li>A store may answer before the call that asks it returns. The next change then starts after that call, on the same
 *       thread, and not inside it (trampoline). So the stack does not grow with the number of waiting changes.
 * </ol>
 */
public final class ChangeTurns {

    /** A counter: a semaphore or a latch. */
    record Counter(boolean latch, String name) {}

    /**
     * The changes of one counter.
     *
     * @param waiting the changes that wait
     * @param finished the number of changes that have finished, and after which the next one has not started yet
     */
    private record ChangeQueue(Queue<BooleanSupplier> waiting, AtomicInteger finished) {}

    private final Map<Counter, ChangeQueue> queues = new ConcurrentHashMap<>();

    /**
     * Starts a change, at once or when all changes before it have finished.
     *
     * @param start starts the change, or returns {@code false} if it is no longer needed; it throws nothing
     */
    void submit(Counter counter, BooleanSupplier start) {
        boolean[] atOnce = {false};
        queues.compute(counter, (key, queue) -> {
            atOnce[0] = queue == null;
            ChangeQueue all = queue == null ? new ChangeQueue(new ArrayDeque<>(), new AtomicInteger()) : queue;
            if (!atOnce[0]) {
                all.waiting.add(start);
            }
            return all;
        });
        if (atOnce[0] && !start.getAsBoolean()) {
            finish(counter);
        }
    }

    /** Removes the change under way, and starts the next one. */
    void finish(Counter counter) {
        AtomicInteger finished = Objects.requireNonNull(queues.get(counter)).finished;
        if (finished.getAndIncrement() == 0) {
            do {
                startNext(counter);
            } while (finished.decrementAndGet() != 0);
        }
    }

    private void startNext(Counter counter) {
        BooleanSupplier next = next(counter);
        while (next != null && !next.getAsBoolean()) {
            next = next(counter);
        }
    }

    private @Nullable BooleanSupplier next(Counter counter) {
        BooleanSupplier[] next = new BooleanSupplier[1];
        queues.computeIfPresent(counter, (key, queue) -> {
            next[0] = queue.waiting.poll();
            return next[0] == null ? null : queue;
        });
        return next[0];
    }
}
