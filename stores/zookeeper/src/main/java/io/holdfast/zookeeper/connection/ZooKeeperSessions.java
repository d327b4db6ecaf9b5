package io.holdfast.zookeeper.connection;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.Reconnecting;
import io.holdfast.support.Stages;
import io.holdfast.support.session.Sessions;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.client.HostProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of this client at ZooKeeper.
 *
 * <p>ZooKeeper's handle connects again by itself as long as its session lives. When the session has ended, another handle makes
 * another session, with another id.
 */
public final class ZooKeeperSessions implements Sessions, Directory {

    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperSessions.class);
    private static final long REFUSED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Settings settings;
    private final Failures failures;
    private final Platform.Timer timer;
    private final Reconnecting<Connection> connection;
    private final Platform.Worker closer;
    private final HostProvider servers;

    /** The last connection that was started, which may not be open yet. */
    private final AtomicReference<@Nullable Connection> attempt = new AtomicReference<>();

    private volatile boolean closed;
    private final Sweep sweep;
    private final Set<String> over = ConcurrentHashMap.newKeySet();
    /** Set if this client may have missed signals before the next connection. */
    private final AtomicBoolean wasUp;

    private volatile Receiver receiver = (signal, before) -> {};

    /** Creates the sessions of a client, none of which is started. */
    public ZooKeeperSessions(StoreConfig config, Settings settings, Platform.Timer timer) {
        this.config = config;
        this.settings = settings;
        this.timer = timer;
        wasUp = new AtomicBoolean(config.lazy());
        keys = new RecordKeys(config.keyPrefix());
        failures = new Failures(settings.address());
        servers = settings.hosts();
        closer = config.platform().worker("holdfast-" + config.client().id() + "-zookeeper-close", 1);
        connection = new Reconnecting<>(config.platform(), timer, this::connect, this::up, this::close);
        sweep = new Sweep(
                config.platform(),
                timer,
                new Paths(settings.root()),
                settings.session().plus(config.commandTimeout()),
                () -> connection
                        .now()
                        .filter(Connection::isConnected)
                        .map(open -> open.session().requests()));
    }

    // ---- connections

    private CompletionStage<Connection> connect() {
        Optional<String> wrong = settings.wrongFile();
        if (wrong.isPresent()) {
            connection.heard();
            return CompletableFuture.failedStage(failures.notConnected(wrong.get()));
        }
        try {
            HostProvider hosts = hosts();
            Connection fresh = new Connection(
                    config,
                    settings,
                    hosts,
                    share(hosts.size()),
                    !wasUp.get(),
                    timer,
                    this::deliver,
                    connection::heard,
                    this::ended,
                    closer);
            attempt.set(fresh);
            if (closed) {
                close(fresh);
            }
            return fresh.opened()
                    .handle((open, error) -> {
                        if (error == null) {
                            return CompletableFuture.completedStage(open);
                        }
                        close(fresh);
                        return failedLater(failures.of("connect", error));
                    })
                    .thenCompose(result -> result);
        } catch (IOException e) {
            return CompletableFuture.failedStage(failures.notConnected(e.getMessage() + ""));
        }
    }

    /** Returns the servers of a handle. All handles share them, so that an attempt does not begin with the server of the last one. */
    private HostProvider hosts() {
        // a list that is shared makes the handle wait before it tries its only server again
        return servers.size() > 1 ? servers : settings.hosts();
    }

    /** Returns the time in which an attempt needs an answer. At the start, a silent server must not take the time of the others. */
    private Duration share(int servers) {
        return wasUp.get() ? config.connectTimeout() : config.connectTimeout().dividedBy(servers);
    }

    /** Returns a stage that fails, after a pause if servers have refused to connect, so that they are not asked all the time. */
    private CompletionStage<Connection> failedLater(StoreException cause) {
        return Stages.failedAfter(timer, cause.effect() == Effect.REFUSED ? REFUSED_PAUSE_NANOS : 0, cause);
    }

    private void up(Connection fresh) {
        if (over.contains(fresh.session().id())) {
            // race: it has ended before it was known here
            connection.lost(fresh);
        } else if (wasUp.getAndSet(true)) {
            // signals to the session before are lost
            receiver.receive(new Signal.Gap(), 0);
            receiver.receive(new Signal.Up(settings.address(), ""), 0);
        }
    }

    private void ended(Connection ended, StoreException why) {
        LOG.warn(
                "The session of client {} has ended; all its holds are lost: {}",
                config.client().id(),
                why.getMessage());
        over.add(ended.session().id());
        connection.lost(ended);
        receiver.receive(new Signal.Gap(), 0);
    }

    /** Closes a connection on a thread of its own, because that waits for the servers. */
    private void close(Connection last) {
        var unused = closed(last);
    }

    private CompletionStage<Void> closed(Connection last) {
        try {
            return CompletableFuture.runAsync(() -> end(last, config.commandTimeout()), closer);
        } catch (RejectedExecutionException e) {
            // close race: this client is closed, and the connection has hardly begun
            end(last, Duration.ofMillis(1));
            return CompletableFuture.completedStage(null);
        }
    }

    private static void end(Connection last, Duration atMost) {
        try {
            last.close(atMost);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
    public CompletionStage<ZooKeeperSession> present() {
        return open().thenApply(Connection::session);
    }

    /** Returns the connection. Fails without waiting if it is cut, because the handle would keep the request until it is not. */
    private CompletionStage<Connection> open() {
        return connection.get(config.commandTimeout()).handle((open, error) -> {
            if (error != null) {
                throw failure(error);
            } else if (!open.isConnected()) {
                throw failures.notConnected("it was cut, and is made again");
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
        return open().thenCompose(Connection::confirmSignals);
    }

    @Override
    public CompletionStage<Void> close() {
        closed = true;
        connection.close();
        Connection last = attempt.get();
        CompletionStage<Void> end = last == null ? CompletableFuture.completedStage(null) : closed(last);
        closer.close();
        return end;
    }

    // ---- other clients

    @Override
    public CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids) {
        return present().thenCompose(session -> ClientRecord.readAll(ids, session::description));
    }

    @Override
    public CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder) {
        return open().thenCompose(open -> open.mailbox().describe(holder, keys.name(key)));
    }
}
