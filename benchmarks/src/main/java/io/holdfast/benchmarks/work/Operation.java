package io.holdfast.benchmarks.work;

/** What a thread does over and over. */
@FunctionalInterface
interface Operation {

    /** Once. */
    void run();

    /** Before the first of a round, by the thread that does them. */
    default void begin() {}

    /** After the last. */
    default void end() {}
}
