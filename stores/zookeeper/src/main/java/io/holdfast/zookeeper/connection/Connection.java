package io.holdfast.zookeeper.connection;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.Mailbox;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.Sessions.Receiver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handle of ZooKeeper's client, which has one session, and connects again by itself as long as the session lives.
 *
 * <p>All events and answers arrive on one thread of the handle, in the order in which the server has sent them.
 */
final class Connection {

    /** The number of heartbeats in the time of a session timeout. */
    private static final int HEARTBEATS = 6;

    private static final int MIN_TICKS = 4;
    private static final long READ_NANOS = 100_000_000;
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final String PROOF = "P ";

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final StoreConfig config;
    private final Settings settings;
    private final Platform.Timer timer;
    private final Receiver receiver;
    private final Runnable onHeard;
    private final BiConsumer<Connection, StoreException> onEnd;
    private final Executor blocking;
    private final Failures failures;
    private final ClockReading began;
    private final int servers;
    /** Completed when the handle is set up. Events that arrive before, wait for it. */
    private final CompletableFuture<ZooKeeper> handle = new CompletableFuture<>();

    private final CompletableFuture<Connection> opened = new CompletableFuture<>();
    private final AtomicLong lastProof = new AtomicLong();
    private final Map<String, CompletableFuture<Void>> proofs = new ConcurrentHashMap<>();
    private volatile boolean connected;
    private volatile long connectedAt;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The text about the last server that could not be reached; empty if none is known. */
    private volatile String obstacle = "";

    /**
     * The present cut; null while there is none. Either the event thread removes it when the connection is back, or the timer, which
     * then ends the session.
     */
    private final AtomicReference<@Nullable Object> cut = new AtomicReference<>();

    // ---- changed on the event thread alone

    /** Set if messages were missed since {@link #missedSince}, a time before the first cut after which none was read. */
    private volatile boolean missed;

    private volatile long missedSince;

    /** A time before the message that is being received was sent. */
    private volatile long sentAfter;

    // ---- set on the event thread, before the connection is open

    private volatile @Nullable ZooKeeperSession session;
    private volatile @Nullable Inbox inbox;
    private volatile @Nullable Mailbox mailbox;

    /**
     * Starts to connect.
     *
     * @param hosts the servers
     * @param toAnswer the time after which the attempt ends if no server has answered
     * @param first whether the client has had no connection yet, and waits for this one, so that it has to know why there is none
     * @param onHeard is notified when a server has answered or cannot be reached during this attempt
     * @param onEnd is notified when an open connection has lost its session, and why
     * @param blocking runs what may wait for a server
     * @throws IOException if a connection cannot be started
     */
    Connection(
            StoreConfig config,
            Settings settings,
            HostProvider hosts,
            Duration toAnswer,
            boolean first,
            Platform.Timer timer,
            Receiver receiver,
            Runnable onHeard,
            BiConsumer<Connection, StoreException> onEnd,
            Executor blocking)
            throws IOException {
        this.config = config;
        this.settings = settings;
        this.timer = timer;
        this.receiver = receiver;
        this.onHeard = onHeard;
        this.onEnd = onEnd;
        this.blocking = blocking;
        failures = new Failures(settings.address());
        began = ClockReading.of(config.platform());
        servers = hosts.size();
        ZKClientConfig client = settings.client();
        // an inbox or a folder may have many children, and the servers limit requests only
        client.setProperty(ZKConfig.JUTE_MAXBUFFER, Integer.toString(MAX_ANSWER_BYTES));
        // limits synchronous requests, of which the one that ends the session is the only one
        client.setProperty(
                ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT,
                Long.toString(Math.max(1, config.commandTimeout().toMillis())));
        HostProvider asked =
                first ? new FirstAttempts(hosts, config.connectTimeout(), this::unreachable, this::allRefused) : hosts;
        ZooKeeper fresh = new ZooKeeper(
                settings.servers(), (int) settings.session().toMillis(), this::process, false, asked, client);
        settings.login().ifPresent(login -> fresh.addAuthInfo("digest", login.getBytes(StandardCharsets.UTF_8)));
        handle.complete(fresh);
        timer.schedule(toAnswer.toNanos(), () -> {
            if (session == null) {
                giveUp(toAnswer);
            }
        });
        timer.schedule(config.connectTimeout().toNanos(), () -> giveUp(config.connectTimeout()));
    }

    /**
     * Completes when the session has begun. Fails if it has not within the connect timeout. The first connection fails at once if
     * nothing listens at any server.
     */
    CompletionStage<Connection> opened() {
        return opened.minimalCompletionStage();
    }

    private void giveUp(Duration after) {
        opened.completeExceptionally(
                failures.notConnected("no server has answered within " + after.toMillis() + " ms" + obstacle));
    }

    private void unreachable(InetSocketAddress server, IOException why) {
        obstacle = " (" + Failures.unreachable(server, why) + ")";
        if (!opened.isDone()) {
            onHeard.run();
        }
    }

    /** Ends the attempt on the timer, because the close that follows waits for the thread of the handle that reports this. */
    private void allRefused(IOException refusal) {
        timer.schedule(0, () -> opened.completeExceptionally(failures.nothingListens(refusal)));
    }

    // ---- events

    private void process(WatchedEvent event) {
        var unused = handle.thenAccept(ready -> process(ready, event)).exceptionally(e -> {
            LOG.error("{}: the event {} was not handled", settings.address(), event, e);
            opened.completeExceptionally(e);
            return null;
        });
    }

    private void process(ZooKeeper ready, WatchedEvent event) {
        Inbox messages = inbox;
        if (event.getType() == EventType.NodeCreated && messages != null && messages.contains(event.getPath())) {
            messages.created(event.getPath(), session().proven());
        } else if (event.getType() == EventType.NodeDeleted
                && messages != null
                && !messages.contains(event.getPath())) {
            ended(failures.nodeDeleted());
        } else if (event.getType() == EventType.None) {
            changed(ready, event.getState());
        }
    }

    private void changed(ZooKeeper ready, KeeperState state) {
        // an attempt that has ended before reports its own end
        if (!opened.isDone() && state != KeeperState.Closed) {
            onHeard.run();
        }
        switch (state) {
            case SyncConnected -> connected(ready);
            case Disconnected -> disconnected();
            case Expired -> ended(failures.notConnected("the session has expired"));
            case AuthFailed ->
                ended(new StoreException(
                        Effect.REFUSED, settings.address() + ": the servers refuse the user and password"));
            default -> {
                // nothing changes for this client
            }
        }
    }

    private void connected(ZooKeeper ready) {
        cut.set(null);
        connectedAt = config.platform().nanoTime();
        ZooKeeperSession present = session;
        if (present == null && !opened.isDone()) {
            begin(ready);
        } else if (present == null) {
            LOG.debug("{}: a server has answered too late", settings.address());
        } else if (ready.getSessionTimeout() < present.timeout().toMillis()) {
            ended(failures.notConnected("the servers now allow a shorter session timeout"));
        } else if (opened.isDone()) {
            connected = true;
            catchUp();
        }
    }

    /** Reads the messages that were sent while the connection was cut, because a watch repeats none. */
    private void catchUp() {
        var list = inbox().list(missedSince);
        beat();
        var unused = list.whenComplete((done, error) -> {
            if (error == null) {
                missed = false;
            }
            receiver.receive(new Signal.Gap(), 0);
            receiver.receive(new Signal.Up(settings.address(), ""), 0);
        });
    }

    private void disconnected() {
        connected = false;
        // a handle whose attempt has ended before a session began is closed soon
        if (session != null && opened.isDone() && !closed.get()) {
            if (!missed) {
                missed = true;
                missedSince = session().proven();
            }
            receiver.receive(new Signal.Down(settings.address()), 0);
            endUnlessMended();
        }
    }

    /**
     * Ends the session after a cut in which servers have certainly ended it, or would have. Servers that have lost data close each
     * connection of a handle that has seen later writes, and never tell it that its session is over.
     */
    private void endUnlessMended() {
        Object present = new Object();
        // the handle reports each failed attempt to connect as another cut
        if (cut.compareAndSet(null, present)) {
            long limit = session().timeout().plus(settings.tick()).toNanos();
            timer.schedule(limit, () -> {
                if (cut.compareAndSet(present, null)) {
                    ended(failures.notConnected("no server has accepted the session for its timeout"));
                }
            });
        }
    }

    private void ended(StoreException why) {
        connected = false;
        if (!opened.completeExceptionally(why) && !closed.getAndSet(true)) {
            onEnd.accept(this, why);
        }
    }

    // ---- the session

    private void begin(ZooKeeper ready) {
        Duration timeout = Duration.ofMillis(ready.getSessionTimeout());
        if (timeout.compareTo(settings.tick().multipliedBy(MIN_TICKS)) < 0) {
            opened.completeExceptionally(new StoreException(
                    Effect.REFUSED,
                    settings.address() + ": the servers allow a session timeout of " + timeout.toMillis()
                            + " ms, which is less than " + MIN_TICKS + " ticks of "
                            + settings.tick().toMillis()
                            + " ms: a session could end between two signs of life. Set maxSessionTimeout of the servers, or"
                            + " the options session and tick"));
            return;
        }
        // servers make their ids from a clock that begins anew when a machine boots, and so may give one again
        String id = Long.toHexString(ready.getSessionId()) + "-"
                + Long.toHexString(config.platform().randomLong());
        Requests requests = new Requests(ready, settings.acl());
        Paths paths = new Paths(settings.root());
        Heartbeat heartbeat = new Heartbeat(
                config.platform(),
                began,
                timeout,
                settings.tick().toNanos(),
                Heartbeat.writes(requests, paths.session(id)));
        ZooKeeperSession fresh =
                new ZooKeeperSession(id, timeout, requests, paths, failures, heartbeat, config, this::ended);
        mailbox = new Mailbox(
                config.withClient(config.client(), signal -> receiver.receive(signal, sentAfter), config.describer()),
                timer,
                fresh::post);
        inbox = new Inbox(requests, paths.inbox(id), this::receive);
        session = fresh;
        fresh.begin(new ClientRecord(config).text()).whenComplete((done, error) -> {
            if (error != null) {
                opened.completeExceptionally(error);
            } else {
                connected = true;
                opened.complete(this);
                beatLater(timeout.toNanos() / HEARTBEATS);
                leaveIfSilent(fresh.asked(), config.commandTimeout());
            }
        });
    }

    private void beatLater(long delay) {
        if (!closed.get()) {
            timer.schedule(delay, () -> {
                if (connected) {
                    beat();
                    inbox().clear();
                }
                beatLater(delay);
            });
        }
    }

    /**
     * Leaves a server for another one when it has not answered for a command timeout, or for twice the time that its last answer
     * took. The handle itself would wait for two thirds of the session. If the next server does not answer either, it has twice
     * the time, so that servers that are slow are not left before they answer.
     *
     * @param asked the time of a request that is sent before the check begins
     * @param patience the time for which the server has to answer
     */
    private void leaveIfSilent(long asked, Duration patience) {
        if (!closed.get() && servers > 1) {
            timer.schedule(patience.toNanos(), () -> {
                if (isSilent(asked)) {
                    // this process may have stood still while the answer arrived
                    timer.schedule(READ_NANOS, () -> leaveOrGoOn(asked, patience));
                } else {
                    goOn(asked, patience);
                }
            });
        }
    }

    /** Checks again. Only an answer ends the patience: a new connection does not show that the server is faster. */
    private void goOn(long asked, Duration patience) {
        boolean answered = asked - session().proven() <= 0;
        leaveIfSilent(session().asked(), answered ? patience() : patience);
    }

    private Duration patience() {
        return limited(session().took().multipliedBy(2));
    }

    /** Limits a patience, because an answer may have waited for this process, and because the session goes on. */
    private Duration limited(Duration patience) {
        Duration most = session().timeout().dividedBy(3);
        Duration shorter = patience.compareTo(most) < 0 ? patience : most;
        return shorter.compareTo(config.commandTimeout()) > 0 ? shorter : config.commandTimeout();
    }

    private boolean isSilent(long asked) {
        return connected && asked - session().proven() > 0 && asked - connectedAt > 0;
    }

    private void leaveOrGoOn(long asked, Duration patience) {
        if (isSilent(asked)) {
            leave();
            leaveIfSilent(session().asked(), limited(patience.multipliedBy(2)));
        } else {
            goOn(asked, patience);
        }
    }

    /** Leaves the server on a thread of its own, because the close of a connection with TLS may wait for the server. */
    private void leave() {
        LOG.info("{}: a server does not answer, so another one is used", settings.address());
        try {
            blocking.execute(() -> {
                try {
                    handle.join().updateServerList(settings.servers());
                } catch (IOException e) {
                    LOG.warn("{}: a server that does not answer was not left", settings.address(), e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: the client is closed", settings.address(), e);
        }
    }

    private void beat() {
        var unused = session().confirm();
    }

    private void receive(String message, long before) {
        sentAfter = before;
        if (message.startsWith(PROOF)) {
            CompletableFuture<Void> proof = proofs.remove(message);
            if (proof != null) {
                proof.complete(null);
            }
        } else {
            mailbox().receive(message, 1);
        }
    }

    /** Completes when a message of this client to itself has arrived. */
    CompletionStage<Void> confirmSignals() {
        String message = PROOF + lastProof.incrementAndGet();
        CompletableFuture<Void> proof = new CompletableFuture<>();
        proofs.put(message, proof);
        return session()
                .postToSelf(message)
                .whenComplete((sent, error) -> {
                    if (error != null) {
                        proofs.remove(message);
                    }
                })
                .thenCompose(sent -> proof);
    }

    /** Returns the session of an open connection. */
    ZooKeeperSession session() {
        return present(session);
    }

    Mailbox mailbox() {
        return present(mailbox);
    }

    private Inbox inbox() {
        return present(inbox);
    }

    private static <T> T present(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("the connection is not open");
        }
        return part;
    }

    boolean isConnected() {
        return connected;
    }

    /** Ends the session, and waits until the servers know, or for the given time. */
    void close(Duration atMost) throws InterruptedException {
        closed.set(true);
        connected = false;
        if (session != null) {
            inbox().clear();
            session().leave();
        }
        boolean unused = handle.join().close((int) atMost.toMillis());
    }
}
