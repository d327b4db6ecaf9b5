package io.holdfast.jdbc.record;

import io.holdfast.jdbc.sql.Message;
import io.holdfast.jdbc.sql.Messages;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.Mailbox;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that receives the messages to this client on a connection of its own.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Either the client hears, or it looks at the rows that it waits for. A connection hears when a message that the client has
 *       sent to itself has arrived on it. So a proxy that accepts LISTEN and delivers nothing is found out. Behind a connection
 *       pooler that is known as such, the client only looks.
 *   <li>Whenever the client ceases to hear, and begins again, it is told of a {@link Signal.Gap}, because messages may have been
 *       lost. It is told of none if it made no request before it began to hear.
 *   <li>A connection that has been silent for two seconds is tested. So one that was cut off is replaced.
 *   <li>Every user of the database may send messages, also one who may not write. So an assignment is not believed, but makes the
 *       client read the row. All other messages only make the engine ask, or are shown to people.
 * </ol>
 */
final class Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    private static final int SLICE_MILLIS = 250;
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int VALID_SECONDS = 2;
    private static final int CLOSE_SECONDS = 2;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The beginning of a message to oneself. */
    private static final String PROOF = "T ";

    private final StoreConfig config;
    private final Messages messages;
    private final Sessions sessions;
    private final Looker looker;
    private final RecordKeys keys;
    private final Mailbox mailbox;
    private final Platform.Timer timer;
    private final Platform.Worker worker;
    private final Platform.Worker poster;
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicLong lastProof = new AtomicLong();
    private final Map<String, CompletableFuture<Void>> proofs = new ConcurrentHashMap<>();
    /** Whether the client hears, once that is known. */
    private final CompletableFuture<Boolean> first = new CompletableFuture<>();

    private volatile boolean hears;
    /** Set if there was a request since the client has ceased to hear, so that a message to it may be lost. */
    private volatile boolean unheard;

    private volatile boolean closed;
    private volatile @Nullable Thread thread;
    /** Done when nobody listens. */
    private volatile CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);

    /** Used by the thread alone. */
    private boolean warned;

    /** Used by the thread alone. */
    private boolean supported = true;

    Listener(StoreConfig config, Platform.Timer timer, Messages messages, Sessions sessions, Looker looker) {
        this.config = config;
        this.messages = messages;
        this.sessions = sessions;
        this.looker = looker;
        keys = new RecordKeys(config.keyPrefix());
        this.timer = timer;
        mailbox = new Mailbox(config.withClient(config.client(), this::receive, config.describer()), timer, this::post);
        worker = config.platform().worker("holdfast-" + config.client().id() + "-listen", 1);
        poster = config.platform().worker("holdfast-" + config.client().id() + "-post", 1);
    }

    Mailbox mailbox() {
        return mailbox;
    }

    /** Starts to listen, if that has not begun. Called before each request that may lead to a message. */
    void use() {
        if (!hears) {
            unheard = true;
            start();
        }
    }

    /** Starts to listen, if that has not begun. */
    void start() {
        if (!started.get() && started.compareAndSet(false, true)) {
            try {
                ended = CompletableFuture.runAsync(this::run, worker);
            } catch (Throwable e) {
                // the client looks, and a later request tries again
                LOG.debug("no thread to listen", e);
                started.set(false);
            }
        }
    }

    /** Waits until the client hears. Returns {@code false} if it does not within the time. */
    boolean awaitHearing(Duration limit) {
        try {
            return first.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the client does not hear yet", e);
            return false;
        }
    }

    // ---- sending

    /** Sends a text to a client. Returns the number of receivers as 1, because the database does not tell it. */
    private CompletionStage<Long> post(String clientId, String text) {
        CompletableFuture<Long> receivers = new CompletableFuture<>();
        try {
            // not on the thread that listens, because messages behind this one would wait
            poster.execute(() -> post(new Message(clientId, text), receivers));
        } catch (Throwable e) {
            receivers.completeExceptionally(e);
        }
        return receivers;
    }

    private void post(Message message, CompletableFuture<Long> receivers) {
        try {
            boolean fits = message.encoded().length() <= Messages.MOST_BYTES;
            if (fits) {
                send(message);
            }
            receivers.complete(fits ? 1L : 0L);
        } catch (RuntimeException e) {
            receivers.completeExceptionally(e);
        }
    }

    private void send(Message message) {
        var unused = sessions.run("notify", connection -> {
            send(connection, message);
            return true;
        });
    }

    /** Sends a message on a connection of the caller. */
    void send(Connection connection, Message message) throws SQLException {
        messages.send(connection, message);
    }

    /** Proves that messages arrive. If the client does not hear, it proves that changes are found by looking. */
    CompletionStage<Void> confirm() {
        return hears ? prove() : looker.confirm();
    }

    private CompletableFuture<Void> prove() {
        String number = Long.toString(lastProof.incrementAndGet());
        CompletableFuture<Void> proof = new CompletableFuture<>();
        proofs.put(number, proof);
        try {
            send(new Message(config.client().id(), PROOF + number));
        } catch (RuntimeException e) {
            proof.completeExceptionally(e);
        }
        Platform.Task timeout = timer.schedule(
                config.commandTimeout().toNanos(),
                () -> proof.completeExceptionally(new TimeoutException("a message to ourselves did not arrive")));
        // close race: the flag is read after the proof is kept. So either this thread ends it, or the close does
        if (closed) {
            failProofs();
        }
        return proof.whenComplete((nothing, error) -> {
            proofs.remove(number);
            timeout.cancel();
        });
    }

    // ---- receiving

    private void run() {
        thread = Thread.currentThread();
        long pause = FIRST_PAUSE_NANOS;
        while (!closed && supported) {
            try {
                listen();
            } catch (Throwable e) {
                // a client whose listening thread ends would hear nothing from then on, and not look
                LOG.warn("listening has failed; trying again", e);
            }
            pause = hears ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, pause * 2);
            becomeDeaf();
            if (!closed) {
                config.platform().park(this, pause);
            }
        }
    }

    /** Listens on a new connection until it fails, delivers nothing, or is not needed. */
    private void listen() {
        String id = config.client().id();
        try (Connection connection = sessions.open("listen")) {
            try {
                receive(connection, messages.listen(connection, id));
            } finally {
                unlisten(connection, id);
            }
        } catch (SQLFeatureNotSupportedException e) {
            supported = false;
            first.complete(false);
            LOG.warn("{}: {}; this client looks at the rows it waits for instead", sessions.address(), e.getMessage());
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the connection that listens has failed; trying again", e);
        }
    }

    /** Stops listening. A connection that still listens is ended, because its pool would lend it to others. */
    private void unlisten(Connection connection, String id) throws SQLException {
        try {
            messages.unlisten(connection, id);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the connection that listens is ended", e);
            connection.abort(Runnable::run);
        }
    }

    private void receive(Connection connection, long run) throws SQLException {
        CompletableFuture<Void> proof = prove();
        long lastSign = config.platform().nanoTime();
        while (!closed && !proof.isCompletedExceptionally()) {
            if (receiveSome(connection, run)) {
                lastSign = config.platform().nanoTime();
            } else if (config.platform().nanoTime() - lastSign > SILENCE_NANOS) {
                requireAlive(connection);
                lastSign = config.platform().nanoTime();
            }
            if (!hears && proof.isDone() && !proof.isCompletedExceptionally()) {
                beginHearing();
            }
        }
        var unused = proof.whenComplete((nothing, error) -> warnOnce(error));
    }

    private boolean receiveSome(Connection connection, long run) throws SQLException {
        List<String> texts = messages.receive(connection, SLICE_MILLIS);
        texts.forEach(text -> receive(text, run));
        return !texts.isEmpty();
    }

    private void receive(String text, long run) {
        if (text.startsWith(PROOF)) {
            Optional.ofNullable(proofs.get(text.substring(PROOF.length()))).ifPresent(proof -> proof.complete(null));
        } else {
            mailbox.receive(text, run);
        }
    }

    private void receive(Signal signal) {
        if (signal instanceof Signal.Assigned assigned) {
            looker.read(keys.of(assigned.name(), assigned.mode()));
        } else {
            config.signals().accept(signal);
        }
    }

    private static void requireAlive(Connection connection) throws SQLException {
        if (!connection.isValid(VALID_SECONDS)) {
            throw new SQLException("the connection was cut off");
        }
    }

    private void beginHearing() {
        hears = true;
        looker.pause();
        if (unheard) {
            unheard = false;
            config.signals().accept(new Signal.Gap());
        }
        first.complete(true);
    }

    private void becomeDeaf() {
        if (hears) {
            hears = false;
            unheard = true;
            looker.resume();
            config.signals().accept(new Signal.Gap());
        }
        failProofs();
    }

    private void failProofs() {
        proofs.values()
                .forEach(proof -> proof.completeExceptionally(new StoreException(
                        StoreException.Effect.NOT_APPLIED, "the connection that listens was lost; it is made anew")));
    }

    /** Warns if a message was sent to ourselves in vain. */
    private void warnOnce(@Nullable Throwable error) {
        if (error instanceof TimeoutException && !warned) {
            warned = true;
            LOG.warn(
                    "{}: a notification to ourselves did not arrive; this client looks at the rows it waits for instead."
                            + " Connect to the server itself, or add signals=look to the URL",
                    sessions.address());
        }
    }

    /** Ends the proofs, and waits until the thread has returned its connection, which takes the time of one slice. */
    void close() {
        closed = true;
        failProofs();
        worker.close();
        poster.close();
        Thread listening = thread;
        if (listening != null) {
            config.platform().unpark(listening);
        }
        var unused =
                ended.completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS).join();
    }
}
