package io.holdfast.torture;

import java.util.concurrent.Callable;
import java.util.function.IntFunction;

/**
 * A server that this process has started, and into which it may inject faults. It keeps what it has acknowledged when it is killed.
 *
 * @param port the port of the loopback address at which it listens
 * @param uri returns the URI of the store at a port of the loopback address, which leads to this server
 * @param killing kills it
 * @param restarting starts it again after it was killed
 * @param pausing stops it, so that it accepts connections, and answers nothing
 * @param resuming ends that
 * @param closing ends it, and deletes what it has written
 */
record FaultyServer(
        int port,
        IntFunction<String> uri,
        Runnable killing,
        Callable<?> restarting,
        Runnable pausing,
        Runnable resuming,
        Runnable closing)
        implements AutoCloseable {

    String uri(int path) {
        return uri.apply(path);
    }

    void kill() {
        killing.run();
    }

    void restart() throws Exception {
        var unused = restarting.call();
    }

    void pause() {
        pausing.run();
    }

    void resume() {
        resuming.run();
    }

    @Override
    public void close() {
        closing.run();
    }
}
