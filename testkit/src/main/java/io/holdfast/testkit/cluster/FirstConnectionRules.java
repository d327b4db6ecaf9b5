package io.holdfast.testkit.cluster;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** A first connection that fails before the connect timeout has passed. */
public abstract class FirstConnectionRules {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** Nobody listens there. */
    private static final int NO_SERVER = 1;

    private final int server;
    private final IntFunction<String> uri;

    /**
     * Creates the rules for a store.
     *
     * @param server the port of a server on the loopback address
     * @param uri returns the URI of the store that is reached through a port
     */
    protected FirstConnectionRules(int server, IntFunction<String> uri) {
        this.server = server;
        this.uri = uri;
    }

    private CompletableFuture<Holdfast> connecting(Wire wire) {
        return CompletableFuture.supplyAsync(() -> Holdfast.builder()
                .uri(uri.apply(wire.port()))
                .connectTimeout(LIMIT)
                .build());
    }

    private static void requireUsable(CompletableFuture<Holdfast> connecting) throws Exception {
        try (Holdfast client = connecting.get(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            Await.until("it acquires", () -> client.lock("first connection").tryLock());
        }
    }

    /** As by a proxy that has no server behind it yet. */
    @Test
    void isTriedAgainIfItIsClosedAtOnce() throws Exception {
        try (Wire wire = new Wire(NO_SERVER)) {
            CompletableFuture<Holdfast> connecting = connecting(wire);
            Await.until("further attempts", () -> connecting.isDone() || wire.connections() >= 4);
            wire.leadTo(server);
            requireUsable(connecting);
        }
    }

    @Test
    void isTriedAgainIfItIsCutBeforeTheAnswer() throws Exception {
        try (Wire wire = new Wire(server)) {
            wire.blockAnswers(true);
            CompletableFuture<Holdfast> connecting = connecting(wire);
            Await.until("an attempt", () -> connecting.isDone() || wire.connections() >= 1);
            wire.cut();
            Await.until("another one", () -> connecting.isDone() || wire.connections() >= 2);
            wire.blockAnswers(false);
            wire.cut();
            requireUsable(connecting);
        }
    }
}
