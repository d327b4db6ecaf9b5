package io.holdfast.redisson.api;

import org.jspecify.annotations.Nullable;

/** The exceptions of several actions, of which each has to run. */
final class Failures {

    private @Nullable RuntimeException first;

    void collect(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            add(e);
        }
    }

    private void add(RuntimeException e) {
        if (first == null) {
            first = e;
        } else {
            first.addSuppressed(e);
        }
    }

    /** Throws the first exception, with the others as suppressed ones. */
    void throwFirst() {
        if (first != null) {
            throw first;
        }
    }
}
