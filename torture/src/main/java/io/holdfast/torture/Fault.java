package io.holdfast.torture;

import java.util.Locale;

/** A kind of fault. */
enum Fault {
    /** A worker process is killed, and another one started. */
    WORKER_KILLED(false),
    /** A worker process is stopped for about a lease. */
    WORKER_STOPPED(false),
    /** The machine of a worker process is suspended: its {@code nanoTime} stands still, and its wall clock goes on. */
    WORKER_SUSPENDED(false),
    /** The server is killed, and started again. */
    SERVER_KILLED(true),
    /** The server accepts connections, and answers nothing for about a lease. */
    SERVER_STOPPED(true),
    /** All connections of a worker process are cut. */
    CUT(true),
    /** The answers of the server to a worker process arrive after more than a lease. */
    DELAYED(true),
    /** The connection of a worker process is cut in place of a reply. */
    REPLY_LOST(true);

    private final boolean needsServer;

    Fault(boolean needsServer) {
        this.needsServer = needsServer;
    }

    /** Returns {@code true} if the fault touches the server, or the way to it. */
    boolean needsServer() {
        return needsServer;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
