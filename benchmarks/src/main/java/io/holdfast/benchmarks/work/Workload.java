package io.holdfast.benchmarks.work;

/** The work of a worker in a round. */
interface Workload extends AutoCloseable {

    /** Runs for the given time, or once, as the case requires. */
    Answer round(long millis) throws Exception;

    @Override
    default void close() {}
}
