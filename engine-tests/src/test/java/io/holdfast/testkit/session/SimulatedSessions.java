package io.holdfast.testkit.session;

import static java.util.stream.Collectors.toMap;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.support.session.Sessions;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The sessions of one client at a {@link SessionServer}. */
final class SimulatedSessions implements Sessions, Directory {

    private final StoreConfig config;
    private final SessionServer server;
    private final Platform.Timer timer;
    private final Set<String> over = new HashSet<>();
    private Receiver receiver = (signal, before) -> {};
    private SimulatedSession session;
    private boolean cut;
    private boolean deaf;
    private boolean closed;

    SimulatedSessions(StoreConfig config, SessionServer server, Platform.Timer timer) {
        this.config = config;
        this.server = server;
        this.timer = timer;
    }

    @Override
    public void start(Receiver signals) {
        receiver = signals;
        begin();
    }

    private void begin() {
        session = new SimulatedSession(config, server, timer, this::hear, this::ended);
        beat(session);
    }

    private void hear(Signal signal, long before) {
        if (!deaf) {
            receiver.receive(signal, before);
        }
    }

    private void beat(SimulatedSession beating) {
        timer.schedule(SessionServer.SESSION.toNanos() / 6, () -> {
            if (session == beating && !closed) {
                if (!cut) {
                    var unused = beating.confirm();
                }
                beat(beating);
            }
        });
    }

    /** Ends the session at the server, and begins another one. */
    void expire() {
        server.end(session.id());
        ended(session);
    }

    /** Ends the session for this client, and begins another one, while the server keeps the last one. */
    void giveUp() {
        ended(session);
    }

    private void ended(SimulatedSession last) {
        if (over.add(last.id()) && !closed) {
            begin();
            receiver.receive(new Signal.Gap(), 0);
        }
    }

    /** Cuts or mends the connection. The session continues, if it is mended in time. */
    void cut(boolean on) {
        cut = on;
    }

    /** Loses the messages to this client, until it is switched off. */
    void loseMessages(boolean on) {
        deaf = on;
    }

    /** Stops the client for good, as if its process was killed. */
    void kill() {
        cut = true;
        session.loseAnswers(true);
        receiver = (signal, before) -> {};
    }

    SimulatedSession session() {
        return session;
    }

    @Override
    public void deliver(Signal signal, long before) {
        receiver.receive(signal, before);
    }

    @Override
    public CompletionStage<SimulatedSession> present() {
        return cut
                ? CompletableFuture.failedStage(new StoreException(Effect.NOT_APPLIED, "the connection is cut"))
                : CompletableFuture.completedStage(session);
    }

    @Override
    public boolean isOver(String id) {
        return over.contains(id);
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return present().thenCompose(SimulatedSession::confirm);
    }

    @Override
    public CompletionStage<Void> close() {
        server.end(session.id());
        closed = true;
        cut = true;
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids) {
        return CompletableFuture.completedStage(ids.stream()
                .flatMap(id -> server.ofClient(id).stream())
                .collect(toMap(SimulatedSession::clientId, SimulatedSession::identity)));
    }

    @Override
    public CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder) {
        return session.mailbox().describe(holder, new RecordKeys(config.keyPrefix()).name(key));
    }
}
