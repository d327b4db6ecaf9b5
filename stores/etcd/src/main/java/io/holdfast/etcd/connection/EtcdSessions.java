package io.holdfast.etcd.connection;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.NothingListens;
import io.holdfast.support.Reconnecting;
import io.holdfast.support.Stages;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.Sessions;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of this client at etcd. A session outlives the connection to a server: the same lease is used at the next server.
 * When a session has ended, the client begins another one, with another lease.
 */
public final class EtcdSessions implements Sessions, Directory {

    private static final Logger LOG = LoggerFactory.getLogger(EtcdSessions.class);
    private static final long REFUSED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StoreConfig config;
    private final Settings settings;
    private final Platform.Timer timer;
    private final RecordKeys names;
    private final Keys keys;
    private final Failures failures;
    private final Servers servers;
    private final Reconnecting<EtcdConnection> connection;
    private final Sweep sweep;
    private final Set<String> over = ConcurrentHashMap.newKeySet();
    private volatile Receiver receiver = (signal, before) -> {};

    /** Creates the sessions of a client, none of which is started. */
    public EtcdSessions(StoreConfig config, Settings settings, Platform.Timer timer) {
        this.config = config;
        this.settings = settings;
        this.timer = timer;
        names = new RecordKeys(config.keyPrefix());
        keys = new Keys(settings.root());
        failures = new Failures(settings.address());
        servers = new Servers(settings, config.platform(), config.commandTimeout(), this::down, this::up);
        connection = new Reconnecting<>(config.platform(), timer, this::connect, this::began, EtcdSessions::end);
        sweep = new Sweep(config.platform(), timer, keys, () -> connection.now().map(EtcdConnection::session));
    }

    // ---- servers

    private void down() {
        receiver.receive(new Signal.Down(settings.address()), 0);
    }

    private void up() {
        var unused = connection
                .now()
                .map(EtcdConnection::asked)
                .orElseGet(() -> CompletableFuture.completedStage(null))
                .thenRun(() -> receiver.receive(new Signal.Up(settings.address(), ""), 0));
    }

    // ---- connections

    private void began(EtcdConnection fresh) {
        if (over.contains(fresh.session().id())) {
            // race: it has ended before it was known here
            connection.lost(fresh);
        } else if (!over.isEmpty()) {
            // waiters have to ask again in this session
            receiver.receive(new Signal.Gap(), 0);
        }
    }

    private CompletionStage<EtcdConnection> connect() {
        ClockReading requested = ClockReading.of(config.platform());
        return granted(settings.servers().size())
                .thenCompose(granted -> begin(granted, requested).whenComplete((open, error) -> {
                    if (error != null) {
                        var unused = servers.ask(link -> link.revoke(granted.getID()));
                    }
                }))
                .handle((open, error) -> error == null
                        ? CompletableFuture.completedStage(open)
                        : failedLater(failures.of("connect", error)))
                .thenCompose(result -> result);
    }

    /**
     * Requests a lease, from the next server if one is of no use. Each request has an id of its own, because servers that were
     * restored from a snapshot may choose one again. Fails as if nothing listened only if nothing listens at each address.
     */
    private CompletionStage<LeaseGrantResponse> granted(int attempts) {
        LeaseGrantRequest request = LeaseGrantRequest.newBuilder()
                .setID(1 + (config.platform().randomLong() >>> 2))
                .setTTL(settings.session().toSeconds())
                .build();
        Link asked = servers.present();
        return servers.ask(link -> link.call(LeaseGrpc.getLeaseGrantMethod(), request))
                .whenComplete((granted, error) -> {
                    if (error == null || !Failures.isSilence(error)) {
                        connection.heard();
                    }
                })
                .exceptionallyCompose(error -> attempts > 1 && servers.present() != asked
                        ? granted(attempts - 1)
                                .exceptionallyCompose(next ->
                                        CompletableFuture.failedStage(NothingListens.isCauseOf(error) ? next : error))
                        : CompletableFuture.failedStage(error));
    }

    private CompletionStage<EtcdConnection> begin(LeaseGrantResponse granted, ClockReading requested) {
        String id = Long.toHexString(granted.getID());
        String description = new ClientRecord(config).text();
        Transaction write = new Transaction()
                .put(keys.session(id), ByteString.copyFromUtf8(description), granted.getID())
                .put(
                        keys.client(config.client().id()),
                        ByteString.copyFromUtf8(id + "\n" + description),
                        granted.getID());
        return servers.ask(link -> link.call(KVGrpc.getTxnMethod(), write.request()))
                .thenApply(written -> {
                    EtcdSession session = new EtcdSession(
                            new EtcdSession.Beginning(
                                    granted.getID(),
                                    granted.getTTL(),
                                    written.getHeader().getRevision(),
                                    requested),
                            servers,
                            keys,
                            failures,
                            config.platform(),
                            description,
                            () -> ended(id));
                    EtcdConnection open = new EtcdConnection(
                            config,
                            timer,
                            (signal, before) -> receiver.receive(signal, before),
                            session,
                            servers,
                            keys,
                            granted.getHeader().getRevision() + 1);
                    open.start();
                    return open;
                });
    }

    /** Returns a stage that fails, after a pause if servers have refused to connect, so that they are not asked all the time. */
    private CompletionStage<EtcdConnection> failedLater(StoreException cause) {
        return Stages.failedAfter(timer, cause.effect() == Effect.REFUSED ? REFUSED_PAUSE_NANOS : 0, cause);
    }

    private void ended(String session) {
        LOG.warn(
                "{}: the session of client {} has ended; all its holds are lost",
                settings.address(),
                config.client().id());
        over.add(session);
        connection.now().filter(open -> open.session().id().equals(session)).ifPresent(connection::lost);
        receiver.receive(new Signal.Gap(), 0);
    }

    private static void end(EtcdConnection last) {
        var unused = last.close();
    }

    // ---- sessions

    @Override
    public void start(Receiver signals) {
        receiver = signals;
        sweep.later();
        if (config.lazy()) {
            return;
        }
        try {
            var unused = connection
                    .open(config.connectTimeout())
                    .toCompletableFuture()
                    .get(config.connectTimeout().toNanos() * 5, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failures.notConnected("interrupted");
        } catch (TimeoutException e) {
            throw failures.notConnected("no server has answered");
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private StoreException failure(Throwable error) {
        Throwable cause = Stages.cause(error);
        return cause instanceof StoreException known ? known : failures.notConnected(cause.getMessage() + "");
    }

    @Override
    public void deliver(Signal signal, long before) {
        receiver.receive(signal, before);
    }

    @Override
    public CompletionStage<EtcdSession> present() {
        return open().thenApply(EtcdConnection::session);
    }

    private CompletionStage<EtcdConnection> open() {
        return connection.get(config.commandTimeout()).handle((open, error) -> {
            if (error != null) {
                throw failure(error);
            }
            return open;
        });
    }

    @Override
    public boolean isOver(String session) {
        return over.contains(session);
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return open().thenCompose(EtcdConnection::confirmSignals);
    }

    @Override
    public CompletionStage<Void> close() {
        CompletionStage<Void> end =
                connection.now().map(EtcdConnection::close).orElseGet(() -> CompletableFuture.completedStage(null));
        connection.close();
        return end.whenComplete((done, error) -> servers.close());
    }

    // ---- other clients

    @Override
    public CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids) {
        return present().thenCompose(session -> ClientRecord.readAll(ids, session::description));
    }

    @Override
    public CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder) {
        return open().thenCompose(open -> open.mailbox().describe(holder, names.name(key)));
    }
}
