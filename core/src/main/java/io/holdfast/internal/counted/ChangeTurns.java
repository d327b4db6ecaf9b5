package io.holdfast.internal.counted;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The turns of the changes of counters. A client has one change of a counter under way; the others wait in their order. */
public final class ChangeTurns {

    /** A counter: a semaphore or a latch. */
    record Counter(boolean latch, String name) {}

    /** The changes that wait, for each counter of which a change is under way. */
    private final Map<Counter, Queue<BooleanSupplier>> waiting = new ConcurrentHashMap<>();

    /**
     * Begins a change, at once or when all changes before it have left.
     *
     * @param begin begins it, or returns {@code false} if it is no longer wanted
     */
    void enter(Counter counter, BooleanSupplier begin) {
        boolean[] atOnce = {false};
        waiting.compute(counter, (key, others) -> {
            atOnce[0] = others == null;
            Queue<BooleanSupplier> all = others == null ? new ArrayDeque<>() : others;
            if (!atOnce[0]) {
                all.add(begin);
            }
            return all;
        });
        if (atOnce[0] && !begin.getAsBoolean()) {
            leave(counter);
        }
    }

    /** Ends the turn of the change under way, and begins the next one. */
    void leave(Counter counter) {
        BooleanSupplier next = next(counter);
        while (next != null && !next.getAsBoolean()) {
            next = next(counter);
        }
    }

    private @Nullable BooleanSupplier next(Counter counter) {
        BooleanSupplier[] next = new BooleanSupplier[1];
        waiting.computeIfPresent(counter, (key, others) -> {
            next[0] = others.poll();
            return next[0] == null ? null : others;
        });
        return next[0];
    }
}
