package io.holdfast.zookeeper.connection;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toMap;

import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.Mailbox;
import io.holdfast.support.SingleFlight;
import io.holdfast.support.Stages;
import io.holdfast.support.record.Notice;
import io.holdfast.support.session.Node;
import io.holdfast.support.session.NoticeBatches;
import io.holdfast.support.session.Session;
import io.holdfast.support.session.SessionValidity;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.zookeeper.connection.Requests.Data;
import io.holdfast.zookeeper.connection.Requests.Several;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session at ZooKeeper.
 *
 * <p>The versions of a node begin at 0 whenever it is created. So a write that is guarded by a version of an earlier life of the
 * node would be taken. {@link Sweep} says why there is no such write.
 */
final class ZooKeeperSession implements Session {

    /** The version of a record that does not exist. */
    private static final long ABSENT = Long.MIN_VALUE;

    private static final byte[] NOTHING = {};

    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperSession.class);

    private final String id;
    private final Duration timeout;
    private final Requests requests;
    private final Paths paths;
    private final Failures failures;
    private final Heartbeat heartbeat;
    private final SingleFlight<Void> beat = new SingleFlight<>();
    private final StoreConfig config;
    private final Consumer<StoreException> onEnd;

    /** The {@code nanoTime} before the last answered request that the leader has seen. Written on the event thread alone. */
    private volatile long proven;

    private volatile long asked;

    private volatile long tookNanos;

    /**
     * Creates a session.
     *
     * @param onEnd is notified when the servers do not have the node of the session any more
     */
    ZooKeeperSession(
            String id,
            Duration timeout,
            Requests requests,
            Paths paths,
            Failures failures,
            Heartbeat heartbeat,
            StoreConfig config,
            Consumer<StoreException> onEnd) {
        this.id = id;
        this.timeout = timeout;
        this.requests = requests;
        this.paths = paths;
        this.failures = failures;
        this.heartbeat = heartbeat;
        this.config = config;
        this.onEnd = onEnd;
        proven = config.platform().nanoTime();
        asked = proven;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public SessionValidity validity() {
        return heartbeat.validity().orElseThrow();
    }

    @Override
    public CompletionStage<Void> confirm() {
        // one heartbeat under way serves all who ask, and proves the time at which it was sent
        return beat.join(() -> proving("confirm the session", heartbeat::beat)).exceptionally(error -> {
            Optional<Code> code = Optional.of(Stages.cause(error))
                    .map(Throwable::getCause)
                    .filter(KeeperException.class::isInstance)
                    .map(cause -> ((KeeperException) cause).code());
            if (code.filter(Code.NONODE::equals).isPresent()) {
                throw over(failures.nodeDeleted());
            } else if (code.filter(Code.BADVERSION::equals).isPresent()) {
                throw over(failures.nodeRestored());
            }
            throw new CompletionException(Stages.cause(error));
        });
    }

    /** Ends the session, and returns the failure of a request that has found out. */
    private StoreException over(StoreException why) {
        onEnd.accept(why);
        return why;
    }

    /** Returns the requests of its handle. */
    Requests requests() {
        return requests;
    }

    /** Returns the {@code nanoTime} before the last answered request that the leader has seen. */
    long proven() {
        return proven;
    }

    /** Returns how long answers of the leader took lately: a read may be fast where a write is slow. */
    Duration took() {
        return Duration.ofNanos(tookNanos);
    }

    /** Returns the {@code nanoTime} before the last request that the leader has to see. */
    long asked() {
        return asked;
    }

    /** Sends a request, and gives its failure a text. */
    private <T> CompletionStage<T> answered(String what, CompletionStage<T> request) {
        return request.handle((answer, error) -> {
            if (error != null) {
                throw failures.of(what, error);
            }
            return answer;
        });
    }

    /** Sends a request that the leader sees, and notes that it was answered. The time is read before it is sent. */
    private <T> CompletionStage<T> proving(String what, Supplier<CompletionStage<T>> request) {
        long sent = config.platform().nanoTime();
        asked = sent;
        return answered(what, request.get()).thenApply(answer -> {
            if (sent - proven > 0) {
                proven = sent;
                tookNanos = Math.max(config.platform().nanoTime() - sent, tookNanos / 4 * 3);
            }
            return answer;
        });
    }

    private String what(String verb, RecordKey key) {
        return verb + " " + quoted(new RecordKeys(config.keyPrefix()).name(key));
    }

    // ---- the beginning

    /** Creates the nodes of the session, and of the store. The inbox precedes the session, because others may write to it then. */
    CompletionStage<Void> begin(String self) {
        String client = paths.client(config.client().id());
        List<CompletionStage<Optional<KeeperException>>> parents =
                paths.parents().stream().map(requests::ensureParent).toList();
        List<CompletionStage<?>> steps = new ArrayList<>(parents);
        steps.add(requests.ensure(paths.inbox(id), NOTHING, CreateMode.PERSISTENT));
        steps.add(requests.watch(paths.inbox(id)));
        steps.add(requests.ensure(paths.session(id), NOTHING, CreateMode.EPHEMERAL));
        steps.add(requests.watchAlone(paths.session(id)));
        steps.add(requests.delete(client));
        steps.add(requests.ensure(client, (id + "\n" + self).getBytes(StandardCharsets.UTF_8), CreateMode.EPHEMERAL));
        CompletionStage<?> created = Stages.all(steps.stream())
                .exceptionallyCompose(error -> CompletableFuture.failedStage(reason(Stages.cause(error), parents)));
        return answered("begin a session", created).thenCompose(done -> confirm());
    }

    /** Returns the reason why a node was not created: its parent is missing if the access list has not allowed it. */
    private static Throwable reason(Throwable error, List<CompletionStage<Optional<KeeperException>>> parents) {
        boolean missing = error instanceof KeeperException failure && failure.code() == Code.NONODE;
        return parents.stream()
                .map(CompletionStage::toCompletableFuture)
                .filter(parent -> missing && parent.isDone() && !parent.isCompletedExceptionally())
                .flatMap(parent -> parent.join().stream())
                .findFirst()
                .<Throwable>map(refusal -> refusal)
                .orElse(error);
    }

    /**
     * Deletes the nodes of the session, unless messages have arrived that were not read. The inbox is not deleted alone: those who
     * write to a session that lives expect one.
     */
    void leave() {
        List<Op> nodes = List.of(Op.delete(paths.session(id), -1), Op.delete(paths.inbox(id), -1));
        var unused = requests.several(nodes).exceptionally(error -> {
            LOG.debug("the inbox of session {} is left to a sweep", id, error);
            return null;
        });
    }

    // ---- records

    @Override
    public CompletionStage<Node> read(RecordKey key) {
        return Stages.unapplied(proving(
                what("read", key), () -> requests.sync(paths.root()).thenCombine(both(key), (synced, node) -> node)));
    }

    /** Sends both reads at once. They are answered after the sync that was sent before. */
    private CompletionStage<Node> both(RecordKey key) {
        return requests.get(paths.record(key)).thenCombine(requests.get(paths.folder(key)), ZooKeeperSession::node);
    }

    private static Node node(Optional<Data> record, Optional<Data> folder) {
        return new Node(
                record.map(data -> (long) data.stat().getVersion()).orElse(ABSENT),
                record.map(Data::text),
                folder.map(data -> Sweep.floor(data.text())).orElse(0L));
    }

    @Override
    public CompletionStage<OptionalLong> write(RecordKey key, long version, String text, List<Notice> notices) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        String path = paths.record(key);
        List<Op> operations = new ArrayList<>();
        if (version == ABSENT) {
            operations.add(Op.create(path, data, requests.acl(), CreateMode.PERSISTENT));
        } else {
            operations.addAll(writes(path, data, (int) version));
        }
        long next = version == ABSENT ? 0 : version + operations.size();
        return batched(key, operations, NoticeBatches.of(notices), next == -1 ? 0 : next);
    }

    /**
     * Returns the operations of a guarded write. ZooKeeper counts versions in 32 bits, and takes the version -1 for any version. So
     * a record skips that version.
     */
    static List<Op> writes(String path, byte[] data, int version) {
        Op write = Op.setData(path, data, version);
        return version == -2 ? List.of(write, Op.setData(path, data, -1)) : List.of(write);
    }

    @Override
    public CompletionStage<OptionalLong> send(RecordKey key, long version, List<Notice> notices) {
        List<Op> guard = List.of(Op.check(paths.record(key), (int) version));
        return batched(key, guard, NoticeBatches.of(notices), version);
    }

    private CompletionStage<OptionalLong> batched(RecordKey key, List<Op> first, NoticeBatches batches, long version) {
        return several(key, first, batches.first(), version).thenApply(result -> {
            if (result.isPresent()) {
                for (List<Notice> some : batches.later()) {
                    var unused = several(key, List.of(), some, version);
                }
            }
            return result;
        });
    }

    /**
     * Applies operations if this session and those of all receivers live. A watch reports nothing of a cut, so a client may not know
     * that its session has no node any more.
     */
    private CompletionStage<OptionalLong> several(RecordKey key, List<Op> first, List<Notice> notices, long version) {
        List<Op> operations = new ArrayList<>(List.of(Op.check(paths.session(id), -1)));
        operations.addAll(first);
        for (Notice notice : notices) {
            String session = notice.to().session().orElseThrow();
            String name = Mailbox.message(notice.named(key.text()), key.text());
            operations.add(Op.check(paths.session(session), -1));
            operations.add(
                    Op.create(paths.message(session, name), NOTHING, requests.acl(), CreateMode.PERSISTENT_SEQUENTIAL));
        }
        return proving(what("write", key), () -> requests.several(operations))
                .thenCompose(answer -> settle(key, operations, version, answer));
    }

    private CompletionStage<OptionalLong> settle(RecordKey key, List<Op> operations, long version, Several answer) {
        int failed = answer.firstFailure();
        if (failed < 0) {
            return CompletableFuture.completedStage(OptionalLong.of(version));
        }
        Code code = answer.code();
        boolean creates = failed == 1 && operations.get(failed).getType() == OpCode.create;
        if (code == Code.NONODE && failed == 0) {
            return CompletableFuture.failedStage(over(failures.nodeDeleted()));
        } else if (code == Code.NONODE && creates) {
            return answered(what("write", key), requests.ensure(paths.folder(key), NOTHING, CreateMode.PERSISTENT))
                    .thenApply(made -> OptionalLong.empty());
        } else if (code == Code.BADVERSION || code == Code.NODEEXISTS || code == Code.NONODE) {
            return CompletableFuture.completedStage(OptionalLong.empty());
        }
        String path = operations.get(failed).getPath();
        return CompletableFuture.failedStage(failures.of(what("write", key), KeeperException.create(code, path)));
    }

    // ---- sessions

    @Override
    public CompletionStage<Set<String>> ended(Set<String> sessions) {
        List<String> asked = List.copyOf(sessions);
        return answered(
                        "ask for sessions",
                        Stages.all(asked.stream().map(each -> requests.exists(paths.session(each)))))
                .thenApply(alive -> Set.copyOf(IntStream.range(0, asked.size())
                        .filter(i -> !alive.get(i))
                        .mapToObj(asked::get)
                        .toList()));
    }

    // ---- lists

    @Override
    public CompletionStage<Map<RecordKey, Node>> list(RecordKey prefix) {
        var synced = requests.sync(paths.root());
        var folders =
                Stages.all(IntStream.range(0, Paths.FOLDERS).mapToObj(each -> requests.children(paths.folder(each))));
        return answered(
                "list",
                synced.thenCompose(done -> folders)
                        .thenCompose(names -> nodes(names.stream()
                                .flatMap(List::stream)
                                .flatMap(name -> Paths.key(name).stream())
                                .filter(key -> key.isBelow(prefix))
                                .toList())));
    }

    private CompletionStage<Map<RecordKey, Node>> nodes(List<RecordKey> keys) {
        return Stages.inTurn(keys, Requests.AT_ONCE, key -> requests.get(paths.record(key)))
                .thenApply(found -> IntStream.range(0, keys.size())
                        .filter(i -> found.get(i).isPresent())
                        .boxed()
                        .collect(toMap(keys::get, i -> node(found.get(i), Optional.empty()))));
    }

    // ---- other clients

    /** A client as it describes itself. */
    private record Known(String session, String text) {}

    private CompletionStage<Optional<Known>> known(String clientId) {
        return answered("read client " + clientId, requests.get(paths.client(clientId)))
                .thenApply(found -> found.map(data -> {
                    String[] parts = data.text().split("\n", 2);
                    return new Known(parts[0], parts[parts.length - 1]);
                }));
    }

    /** Returns the text by which a client describes itself; empty if it has no session. */
    CompletionStage<Optional<String>> description(String clientId) {
        return known(clientId).thenApply(found -> found.map(Known::text));
    }

    /** Sends a text to a client, and returns the number of receivers. */
    CompletionStage<Long> post(String clientId, String text) {
        return known(clientId)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedStage(0L)
                        : post(paths.message(found.get().session(), text)).thenApply(done -> 1L));
    }

    /** Sends a text to this client itself. */
    CompletionStage<String> postToSelf(String text) {
        return post(paths.message(id, text));
    }

    private CompletionStage<String> post(String path) {
        return answered("send a message", requests.create(path, NOTHING, CreateMode.PERSISTENT_SEQUENTIAL));
    }
}
