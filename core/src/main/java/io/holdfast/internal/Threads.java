package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The threads of one client, each started when first needed.
 *
 * @param timer fires deadlines; never calls the store
 * @param renewal sends renewals, and nothing else, so that nothing else can hold them up
 * @param background everything else that was put off
 * @param senders calls a store that blocks
 * @param callbacks runs users' code
 */
record Threads(
        Platform.Timer timer,
        Platform.Worker renewal,
        Platform.Worker background,
        Platform.Worker senders,
        Optional<Platform.Worker> ownCallbacks,
        Executor callbacks) {

    private static final int SENDERS = 8;
    private static final int CALLBACKS = 2;

    static Threads of(Platform platform, String client, Optional<Executor> callbacks) {
        String prefix = "holdfast-" + client + "-";
        Optional<Platform.Worker> own = callbacks.isPresent()
                ? Optional.empty()
                : Optional.of(platform.worker(prefix + "callbacks", CALLBACKS));
        return new Threads(
                platform.timer(prefix + "timer"),
                platform.worker(prefix + "renewal", 1),
                platform.worker(prefix + "background", 1),
                platform.worker(prefix + "calls", SENDERS),
                own,
                callbacks.or(() -> own).orElseThrow());
    }

    void close() {
        timer.close();
        renewal.close();
        background.close();
        senders.close();
        ownCallbacks.ifPresent(Platform.Worker::close);
    }
}
