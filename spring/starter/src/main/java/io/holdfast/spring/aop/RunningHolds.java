package io.holdfast.spring.aop;

import org.jspecify.annotations.Nullable;

/**
 * The holds of the annotated methods that the calling thread runs. A transaction that ends in such a method checks them before
 * its commit, because a change that was made without the lock must not be committed.
 */
final class RunningHolds {

    /** The hold of the innermost method, and what was there before. */
    private record Entry(Held held, @Nullable Entry outer) {}

    private static final ThreadLocal<@Nullable Entry> INNERMOST = new ThreadLocal<>();

    private RunningHolds() {}

    /** The rest of a call. */
    interface Body {

        @Nullable
        Object run() throws Throwable;
    }

    /** Runs a body that needs the hold. */
    @Nullable
    static Object during(Held held, Body body) throws Throwable {
        Entry outer = INNERMOST.get();
        INNERMOST.set(new Entry(held, outer));
        try {
            return body.run();
        } finally {
            if (outer == null) {
                INNERMOST.remove();
            } else {
                INNERMOST.set(outer);
            }
        }
    }

    /**
     * Returns if none of them is lost.
     *
     * @throws io.holdfast.LeaseLostException if one is lost
     */
    static void requireNotLost() {
        for (Entry entry = INNERMOST.get(); entry != null; entry = entry.outer()) {
            entry.held().requireNotLost();
        }
    }
}
