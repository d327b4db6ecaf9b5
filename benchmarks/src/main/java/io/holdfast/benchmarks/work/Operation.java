package io.holdfast.benchmarks.work;

/** The operation that a thread repeats. */
@FunctionalInterface
interface Operation {

    /** Runs one operation. */
    void run();

    /** Runs before the first operation of a round, on its thread. */
    default void begin() {}

    /** Runs after the last operation of a round. */
    default void end() {}
}
