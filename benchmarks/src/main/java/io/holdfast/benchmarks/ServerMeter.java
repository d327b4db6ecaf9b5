package io.holdfast.benchmarks;

import java.sql.SQLException;

/** The counters of the server, read over a connection of its own. */
interface ServerMeter extends AutoCloseable {

    /** Connects to the server of a store. */
    static ServerMeter of(String uri) throws SQLException {
        return uri.startsWith("jdbc:") ? new DatabaseMeter(uri) : new RedisMeter(uri);
    }

    /**
     * The counters at one moment.
     *
     * @param commands the commands that clients have sent
     * @param messages the published messages
     * @param cpuMicros the CPU time
     * @param memory the bytes in use
     */
    record Reading(long commands, long messages, long cpuMicros, long memory) {

        Reading since(Reading before) {
            return new Reading(
                    commands - before.commands,
                    messages - before.messages,
                    cpuMicros - before.cpuMicros,
                    memory - before.memory);
        }
    }

    Reading read();

    /** Returns how many of the locks are held. */
    long present(String prefix, int count);

    /** Returns the product and its version. */
    String version();

    /** Returns {@code true} if there is no data that {@link #clear} would delete. */
    boolean isEmpty();

    /** Deletes the data of all subjects, so that no subject affects the next one. */
    void clear();

    @Override
    void close();
}
