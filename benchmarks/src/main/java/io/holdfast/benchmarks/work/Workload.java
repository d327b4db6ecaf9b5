package io.holdfast.benchmarks.work;

/** What a worker does in a round. */
interface Workload extends AutoCloseable {

    /** Does it for that long, or once, as the case has it. */
    Answer round(long millis) throws Exception;

    @Override
    default void close() {}
}
