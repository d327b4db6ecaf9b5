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
 * The turns of the changes of counters. A client has one change of a counter under way; the others wait in their order.
 *
 * <ol>
 *   <li>A counter has an entry while a change of it is under way.
 *   <li>A store may answer before the call that asks it returns. The next turn then does not begin inside the one before, but
 *       after it, on the same thread. So the stack does not grow with the number of waiting changes.
 * </ol>
 */
public final class ChangeTurns {

    /** A counter: a semaphore or a latch. */
    record Counter(boolean latch, String name) {}

    /**
     * The changes of one counter.
     *
     * @param waiting the changes that wait for their turn
     * @param ended the number of turns that have ended, and after which the next one has not begun yet
     */
    private record Line(Queue<BooleanSupplier> waiting, AtomicInteger ended) {}

    private final Map<Counter, Line> lines = new ConcurrentHashMap<>();

    /**
     * Begins a change, at once or when all changes before it have left.
     *
     * @param begin begins it, or returns {@code false} if it is no longer wanted; it throws nothing
     */
    void enter(Counter counter, BooleanSupplier begin) {
        boolean[] atOnce = {false};
        lines.compute(counter, (key, line) -> {
            atOnce[0] = line == null;
            Line all = line == null ? new Line(new ArrayDeque<>(), new AtomicInteger()) : line;
            if (!atOnce[0]) {
                all.waiting.add(begin);
            }
            return all;
        });
        if (atOnce[0] && !begin.getAsBoolean()) {
            leave(counter);
        }
    }

    /** Ends the turn of the change under way, and begins the next one. */
    void leave(Counter counter) {
        AtomicInteger ended = Objects.requireNonNull(lines.get(counter)).ended;
        if (ended.getAndIncrement() == 0) {
            do {
                beginNext(counter);
            } while (ended.decrementAndGet() != 0);
        }
    }

    private void beginNext(Counter counter) {
        BooleanSupplier next = next(counter);
        while (next != null && !next.getAsBoolean()) {
            next = next(counter);
        }
    }

    private @Nullable BooleanSupplier next(Counter counter) {
        BooleanSupplier[] next = new BooleanSupplier[1];
        lines.computeIfPresent(counter, (key, line) -> {
            next[0] = line.waiting.poll();
            return next[0] == null ? null : line;
        });
        return next[0];
    }
}
