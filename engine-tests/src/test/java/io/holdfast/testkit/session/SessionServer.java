package io.holdfast.testkit.session;

import static java.util.stream.Collectors.toMap;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.Mailbox;
import io.holdfast.support.record.Notice;
import io.holdfast.support.session.Node;
import io.holdfast.support.session.SessionStore;
import io.holdfast.support.store.RecordKey;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A server with sessions, in virtual time: records that are written by compare-and-set, and messages between sessions. Only one
 * thread of a simulation runs at a time.
 */
final class SessionServer {

    static final Duration SESSION = Duration.ofSeconds(30);

    private static final Capabilities CAPABILITIES =
            new Capabilities(false, Capabilities.Signals.PUSHED, Duration.ofSeconds(1));

    private final Map<RecordKey, Node> records = new HashMap<>();
    private final Map<String, SimulatedSession> alive = new TreeMap<>();

    /** The times at which sessions end without a further sign of life, by the clock of the server. */
    private final Map<String, Long> ends = new HashMap<>();

    private final Simulation time;
    private final String description;
    private final List<SimulatedSessions> clients = new ArrayList<>();
    private long writes;
    private long reads;
    private long signsOfLife;
    private long nanosPerRequest;
    private long busyUntil;
    private int lastSession;

    SessionServer(Simulation time) {
        this(time, "a server with sessions");
    }

    SessionServer(Simulation time, String description) {
        this.time = time;
        this.description = description;
    }

    /** Builds a client with an engine, in the time of this server. */
    HoldfastBuilder client(String name) {
        return Holdfast.builder()
                .uri("session:" + name)
                .provider(new SessionProvider(this))
                .platform(time);
    }

    LockStore open(StoreConfig config) {
        Platform.Timer timer =
                config.platform().timer("holdfast-" + config.client().id() + "-session");
        SimulatedSessions sessions = new SimulatedSessions(config, this, timer);
        clients.add(sessions);
        return SessionStore.open(new SessionStore.Parts(config, sessions, sessions, CAPABILITIES, description, timer));
    }

    /** Returns the sessions of the client that was opened last. */
    SimulatedSessions lastClient() {
        return clients.get(clients.size() - 1);
    }

    /** Makes each request take its time, one after the other. */
    void serve(Duration each) {
        nanosPerRequest = each.toNanos();
    }

    /** Takes a request, and returns the nanoseconds until it is served. */
    long untilServed() {
        busyUntil = Math.max(time.outsideNanos(), busyUntil) + nanosPerRequest;
        return busyUntil - time.outsideNanos();
    }

    String begin(SimulatedSession session) {
        String id = "s" + ++lastSession;
        alive.put(id, session);
        signOfLife(id);
        return id;
    }

    void signOfLife(String session) {
        signsOfLife++;
        ends.put(session, time.outsideNanos() + SESSION.toNanos());
    }

    void end(String session) {
        alive.remove(session);
    }

    boolean lives(String session) {
        if (alive.containsKey(session) && time.outsideNanos() >= ends.get(session)) {
            end(session);
        }
        return alive.containsKey(session);
    }

    Optional<SimulatedSession> ofClient(String clientId) {
        return List.copyOf(alive.values()).stream()
                .filter(session -> session.clientId().equals(clientId) && lives(session.id()))
                .findFirst();
    }

    void wipe() {
        records.clear();
    }

    /** Replaces all records by the text of another program. */
    void overwrite() {
        records.replaceAll((key, node) -> new Node(++writes, Optional.of("another program"), 0));
    }

    /** Returns the number of records that were read. */
    long reads() {
        return reads;
    }

    /** Returns the number of writes that were taken or refused. */
    long writes() {
        return writes;
    }

    /** Returns the number of signs of life of all sessions. */
    long signsOfLife() {
        return signsOfLife;
    }

    /** Returns the time at which a session ends without a further sign of life, by the clock of the server. */
    long endOf(String session) {
        return ends.get(session);
    }

    // ---- requests

    Node read(RecordKey key) {
        reads++;
        return present(key);
    }

    private Node present(RecordKey key) {
        return records.getOrDefault(key, new Node(-1, Optional.empty(), 0));
    }

    Map<RecordKey, Node> list(RecordKey prefix) {
        return records.entrySet().stream()
                .filter(entry -> entry.getKey().isBelow(prefix))
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    OptionalLong write(RecordKey key, long version, Optional<String> text, List<Notice> notices) {
        writes++;
        if (present(key).version() != version) {
            return OptionalLong.empty();
        }
        if (!notices.stream().allMatch(notice -> lives(notice.to().session().orElseThrow()))) {
            return OptionalLong.empty();
        }
        long next = text.isPresent() ? writes : version;
        text.ifPresent(some -> records.put(key, new Node(next, text, 0)));
        for (Notice notice : notices) {
            alive.get(notice.to().session().orElseThrow())
                    .receive(Mailbox.message(notice.named(key.text()), key.text()));
        }
        return OptionalLong.of(next);
    }
}
