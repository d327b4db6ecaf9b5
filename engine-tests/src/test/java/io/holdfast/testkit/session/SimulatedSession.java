package io.holdfast.testkit.session;

import static java.util.stream.Collectors.toSet;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.Mailbox;
import io.holdfast.support.record.Notice;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.Node;
import io.holdfast.support.session.Session;
import io.holdfast.support.session.SessionValidity;
import io.holdfast.support.session.Sessions.Receiver;
import io.holdfast.support.store.RecordKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A session at a {@link SessionServer}. Requests and answers take up to a millisecond each, and never overtake each other. */
final class SimulatedSession implements Session {

    private static final int SLOWEST_NANOS = 1_000_000;

    /** The longest time from a request to its answer, with some room for requests that are sent together. */
    static final Duration ROUND_TRIP = Duration.ofNanos(2 * SLOWEST_NANOS + 1_000);

    private final StoreConfig config;
    private final SessionServer server;
    private final Platform.Timer timer;
    private final Mailbox mailbox;
    private final String id;
    private long lastArrival;
    private long lastAnswer;
    private SessionValidity validity;
    private long proven;
    private boolean losesAnswers;
    private String unread = "";
    private final Consumer<SimulatedSession> onEnd;

    SimulatedSession(
            StoreConfig config,
            SessionServer server,
            Platform.Timer timer,
            Receiver receiver,
            Consumer<SimulatedSession> onEnd) {
        this.onEnd = onEnd;
        this.config = config;
        this.server = server;
        this.timer = timer;
        mailbox = new Mailbox(
                config.withClient(config.client(), signal -> receiver.receive(signal, proven), config.describer()),
                timer,
                this::post);
        id = server.begin(this);
        lastArrival = now();
        lastAnswer = now();
        proven = now();
        validity = SessionValidity.of(ClockReading.of(config.platform()), SessionServer.SESSION);
    }

    private long now() {
        return config.platform().nanoTime();
    }

    String clientId() {
        return config.client().id();
    }

    LockReport.Client identity() {
        return config.client();
    }

    Mailbox mailbox() {
        return mailbox;
    }

    /** Lets requests arrive, and loses the answers, until it is switched off. */
    void loseAnswers(boolean on) {
        losesAnswers = on;
    }

    /** Loses the answer to each read of the records with this text, until it is empty. */
    void loseReadsOf(String text) {
        unread = text;
    }

    private long later(long last) {
        return Math.max(last + 1, now() + Math.floorMod(config.platform().randomLong(), SLOWEST_NANOS));
    }

    private <T> CompletionStage<T> ask(Supplier<T> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        long sent = now();
        lastArrival = later(lastArrival);
        timer.schedule(
                lastArrival - now(),
                () -> timer.schedule(server.untilServed(), () -> {
                    boolean lives = server.lives(id);
                    T result = lives ? request.get() : null;
                    boolean lost = losesAnswers;
                    lastAnswer = later(lastAnswer);
                    timer.schedule(lastAnswer - now(), () -> {
                        if (!lives) {
                            onEnd.accept(this);
                        }
                        if (!lives || lost) {
                            answer.completeExceptionally(new StoreException(
                                    lives ? Effect.UNKNOWN : Effect.NOT_APPLIED, lives ? "no answer" : "no session"));
                        } else {
                            proven = Math.max(proven, sent);
                            answer.complete(result);
                        }
                    });
                }));
        return answer.minimalCompletionStage();
    }

    /** Receives a message of the server, after all answers that were sent before it. */
    void receive(String message) {
        lastAnswer = later(lastAnswer);
        timer.schedule(lastAnswer - now(), () -> {
            if (server.lives(id)) {
                mailbox.receive(message, 1);
            }
        });
    }

    private CompletionStage<Long> post(String clientId, String text) {
        return ask(() -> server.ofClient(clientId)
                .map(receiver -> {
                    receiver.receive(text);
                    return 1L;
                })
                .orElse(0L));
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration timeout() {
        return SessionServer.SESSION;
    }

    @Override
    public SessionValidity validity() {
        return validity;
    }

    @Override
    public CompletionStage<Void> confirm() {
        ClockReading sent = ClockReading.of(config.platform());
        return ask(() -> {
                    server.signOfLife(id);
                    return true;
                })
                .thenAccept(done -> validity = SessionValidity.of(sent, SessionServer.SESSION));
    }

    @Override
    public CompletionStage<Node> read(RecordKey key) {
        return ask(() -> server.read(key))
                .thenCompose(node -> key.text().equals(unread)
                        ? CompletableFuture.failedStage(new StoreException(Effect.UNKNOWN, "no answer"))
                        : CompletableFuture.completedStage(node));
    }

    @Override
    public CompletionStage<OptionalLong> write(RecordKey key, long version, String text, List<Notice> notices) {
        return ask(() -> server.write(key, version, Optional.of(text), notices));
    }

    @Override
    public CompletionStage<OptionalLong> send(RecordKey key, long version, List<Notice> notices) {
        return ask(() -> server.write(key, version, Optional.empty(), notices));
    }

    @Override
    public CompletionStage<Set<String>> ended(Set<String> sessions) {
        return ask(() ->
                sessions.stream().filter(session -> !server.lives(session)).collect(toSet()));
    }

    @Override
    public CompletionStage<Map<RecordKey, Node>> list(RecordKey prefix) {
        return ask(() -> server.list(prefix));
    }
}
