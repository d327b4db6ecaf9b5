package io.holdfast.benchmarks.meter;

import io.holdfast.benchmarks.subject.ServerKind;
import java.io.IOException;
import java.sql.SQLException;

/** The counters of the server, read over a connection of its own. */
public interface ServerMeter extends AutoCloseable {

    /**
     * Connects to the server of a store.
     *
     * @throws IOException if the server does not answer
     * @throws SQLException if the database does not answer
     */
    static ServerMeter of(String uri) throws IOException, SQLException {
        return switch (ServerKind.of(uri)) {
            case DATABASE -> new DatabaseMeter(uri);
            case ZOOKEEPER -> new ZooKeeperMeter(uri);
            case ETCD -> new EtcdMeter(uri);
            case MONGODB -> new MongoMeter(uri);
            case REDIS -> new RedisMeter(uri);
        };
    }

    /**
     * The counters at one moment.
     *
     * @param commands the commands that clients have sent
     * @param messages the published messages
     * @param cpuMicros the CPU time; 0 if the server does not report it
     * @param memory the bytes in use; 0 if the server does not report them
     */
    record Reading(long commands, long messages, long cpuMicros, long memory) {

        /** Returns the sum of the counters of two servers. */
        Reading plus(Reading other) {
            return new Reading(
                    commands + other.commands,
                    messages + other.messages,
                    cpuMicros + other.cpuMicros,
                    memory + other.memory);
        }

        /** Returns the difference to an earlier reading. */
        public Reading since(Reading before) {
            return new Reading(
                    commands - before.commands,
                    messages - before.messages,
                    cpuMicros - before.cpuMicros,
                    memory - before.memory);
        }
    }

    /** Returns the counters. */
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
