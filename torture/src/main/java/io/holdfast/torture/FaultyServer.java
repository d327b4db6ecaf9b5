package io.holdfast.torture;

/** A server that this process has started, and into which it may inject faults. It keeps what it has acknowledged when it is killed. */
interface FaultyServer extends AutoCloseable {

    /** Returns the port of the loopback address at which it listens. */
    int port();

    /** Returns the URI of the store at the given port of the loopback address, which leads to this server. */
    String uri(int port);

    /** Kills it. */
    void kill();

    /** Starts it again after it was killed. */
    void restart() throws Exception;

    /** Stops it. It accepts connections, and answers nothing. */
    void pause();

    /** Ends {@link #pause}. */
    void resume();

    @Override
    void close();
}
