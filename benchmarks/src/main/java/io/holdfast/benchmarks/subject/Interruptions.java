package io.holdfast.benchmarks.subject;

/** Waits in threads that are never interrupted. */
final class Interruptions {

    private Interruptions() {}

    interface Waiting<T> {
        T get() throws InterruptedException;
    }

    static <T> T none(Waiting<T> waiting) {
        try {
            return waiting.get();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted, although nobody interrupts", e);
        }
    }
}
