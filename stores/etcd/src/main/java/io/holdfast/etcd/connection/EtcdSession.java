package io.holdfast.etcd.connection;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toSet;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.TxnResponse;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.Mailbox;
import io.holdfast.support.Stages;
import io.holdfast.support.record.Notice;
import io.holdfast.support.session.ClockReading;
import io.holdfast.support.session.Node;
import io.holdfast.support.session.NoticeBatches;
import io.holdfast.support.session.Session;
import io.holdfast.support.session.SessionValidity;
import io.holdfast.support.store.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A session at etcd, which is a lease.
 *
 * <p>The version of a record is the revision of its last write, which no later life of the key has again. The version of a record
 * that does not exist is a negative number that names the revision of the {@linkplain Keys#floor() token floor}.
 */
final class EtcdSession implements Session {

    private static final int KEYS_PER_REQUEST = 100;

    private static final int RECORDS_PER_PAGE = 200;

    /**
     * What a session begins with.
     *
     * @param lease the lease
     * @param secondsToLive the time to live of the lease
     * @param epoch the revision at which the key of the session was written
     * @param requested the clocks before the lease was requested
     */
    record Beginning(long lease, long secondsToLive, long epoch, ClockReading requested) {}

    private final Beginning beginning;
    private final String id;
    private final Servers servers;
    private final Keys keys;
    private final Failures failures;
    private final Platform platform;
    private final String description;
    private final Runnable onEnd;
    private final Heartbeat heartbeat;
    private final Epoch epoch;
    private final Answers answers;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** The revision of the last heartbeat. */
    private volatile long beatAt;

    /**
     * Creates a session that the servers have.
     *
     * @param description the text by which this client describes itself
     * @param onEnd is notified once, when the session has ended
     */
    EtcdSession(
            Beginning beginning,
            Servers servers,
            Keys keys,
            Failures failures,
            Platform platform,
            String description,
            Runnable onEnd) {
        this.beginning = beginning;
        this.servers = servers;
        this.keys = keys;
        this.failures = failures;
        this.platform = platform;
        this.description = description;
        this.onEnd = onEnd;
        id = Long.toHexString(beginning.lease());
        epoch = new Epoch(beginning.epoch(), this::endEpoch);
        answers = new Answers(beginning.requested().nanos());
        heartbeat =
                new Heartbeat(platform, SessionValidity.of(beginning.requested(), timeout()), new Heartbeat.Requests() {

                    @Override
                    public CompletionStage<Heartbeat.Sign> signOfLife() {
                        return servers.ask(link -> link.keepAlive(beginning.lease()))
                                .thenApply(answer -> new Heartbeat.Sign(
                                        answer.getTTL(), answer.getHeader().getRaftTerm()));
                    }

                    @Override
                    public CompletionStage<Long> write() {
                        return beat().thenApply(ResponseHeader::getRaftTerm);
                    }
                });
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Duration timeout() {
        return Duration.ofSeconds(beginning.secondsToLive());
    }

    @Override
    public SessionValidity validity() {
        return heartbeat.validity();
    }

    @Override
    public CompletionStage<Void> confirm() {
        return answered("confirm the session", heartbeat.beat());
    }

    /** Returns a {@code nanoTime} before the write of a revision. */
    long before(long revision) {
        return answers.before(revision);
    }

    /** Returns the revision of the last heartbeat. */
    long beatAt() {
        return beatAt;
    }

    /**
     * Writes the key of the heartbeat, which the inbox delivers. It must not have been written back: servers that were restored from
     * a snapshot may have the session, and its holds, although others have taken them since.
     */
    CompletionStage<ResponseHeader> beat() {
        ByteString key = keys.heartbeat(id);
        Transaction write = new Transaction().ifWrittenSince(key, beatAt);
        return answered("write a heartbeat", writeOwn(write, key, ByteString.EMPTY))
                .thenApply(header -> {
                    beatAt = header.getRevision();
                    return header;
                });
    }

    /** Writes a key under the lease, if the servers have the session, and if the conditions of the transaction are true. */
    private CompletionStage<ResponseHeader> writeOwn(Transaction write, ByteString key, ByteString value) {
        return transact(write.ifExists(keys.session(id)).put(key, value, beginning.lease()))
                .thenApply(answer -> {
                    if (!answer.getSucceeded()) {
                        throw over();
                    }
                    return answer.getHeader();
                });
    }

    /** Ends the session, and returns the failure of a request that has found out. */
    private StoreException over() {
        end();
        return failures.notConnected("the session has ended");
    }

    /** Notes that the servers do not have the session any more. */
    void end() {
        if (!ended.getAndSet(true)) {
            onEnd.run();
        }
    }

    /** Ends the session at the servers. */
    CompletionStage<Void> revoke() {
        ended.set(true);
        return servers.ask(link -> link.revoke(beginning.lease())).thenApply(answer -> null);
    }

    // ---- requests

    private CompletionStage<Long> endEpoch() {
        return writeOwn(new Transaction(), keys.session(id), ByteString.copyFromUtf8(description))
                .thenApply(ResponseHeader::getRevision);
    }

    private CompletionStage<TxnResponse> transact(Transaction transaction) {
        return noted(link -> link.call(KVGrpc.getTxnMethod(), transaction.request()), TxnResponse::getHeader);
    }

    private CompletionStage<RangeResponse> range(RangeRequest.Builder request) {
        return noted(link -> link.call(KVGrpc.getRangeMethod(), request.build()), RangeResponse::getHeader);
    }

    private <A> CompletionStage<A> noted(
            Function<Link, CompletionStage<A>> question, Function<A, ResponseHeader> header) {
        long sent = platform.nanoTime();
        return servers.ask(question).thenApply(answer -> {
            answers.note(sent, header.apply(answer).getRevision());
            return answer;
        });
    }

    /** Gives the failure of a request a text. */
    private <T> CompletionStage<T> answered(String what, CompletionStage<T> request) {
        return request.handle((answer, error) -> {
            if (error != null) {
                throw failures.of(what, error);
            }
            return answer;
        });
    }

    /**
     * Reads, when no earlier request is in doubt.
     *
     * @param what the request, for texts
     */
    private <T> CompletionStage<T> reading(String what, Supplier<CompletionStage<T>> request) {
        return Stages.unapplied(answered(what, epoch.present().thenCompose(present -> request.get())));
    }

    private static String what(String verb, RecordKey key) {
        return verb + " " + quoted(key.text());
    }

    // ---- records

    @Override
    public CompletionStage<Node> read(RecordKey key) {
        Transaction both = new Transaction().read(keys.record(key)).read(keys.floor());
        return reading(what("read", key), () -> transact(both)).thenApply(answer -> {
            Optional<KeyValue> record = found(answer, 0);
            Optional<KeyValue> floor = found(answer, 1);
            return new Node(
                    record.map(KeyValue::getModRevision)
                            .orElse(-1 - floor.map(KeyValue::getModRevision).orElse(0L)),
                    record.map(EtcdSession::text),
                    floor.map(EtcdSession::unit).orElse(0L));
        });
    }

    private static Optional<KeyValue> found(TxnResponse answer, int index) {
        return answer.getResponses(index).getResponseRange().getKvsList().stream()
                .findFirst();
    }

    private static String text(KeyValue found) {
        return found.getValue().toStringUtf8();
    }

    /** Returns a transaction that requires the version of a record. */
    private Transaction guarded(RecordKey key, long version) {
        Transaction guarded = new Transaction().ifWrittenAt(keys.record(key), Math.max(0, version));
        return version < 0 ? guarded.ifWrittenAt(keys.floor(), -1 - version) : guarded;
    }

    @Override
    public CompletionStage<OptionalLong> write(RecordKey key, long version, String text, List<Notice> notices) {
        Transaction write = guarded(key, version).put(keys.record(key), ByteString.copyFromUtf8(text), 0);
        return batched(key, write, NoticeBatches.of(notices));
    }

    private CompletionStage<OptionalLong> batched(RecordKey key, Transaction transaction, NoticeBatches batches) {
        return guardedBySessions(key, transaction, batches.first()).thenApply(revision -> {
            if (revision.isPresent()) {
                for (List<Notice> some : batches.later()) {
                    var unused = guardedBySessions(key, new Transaction(), some);
                }
            }
            return revision;
        });
    }

    @Override
    public CompletionStage<OptionalLong> send(RecordKey key, long version, List<Notice> notices) {
        return batched(key, guarded(key, version), NoticeBatches.of(notices))
                .thenApply(revision -> revision.isPresent() ? OptionalLong.of(version) : revision);
    }

    /** Adds messages, requires that the epoch and all receivers live, and sends the transaction. */
    private CompletionStage<OptionalLong> guardedBySessions(
            RecordKey key, Transaction transaction, List<Notice> notices) {
        Map<String, Integer> receivers = new HashMap<>();
        for (Notice notice : notices) {
            String receiver = notice.to().session().orElseThrow();
            int number = receivers.merge(receiver, 1, Integer::sum);
            if (number == 1) {
                transaction.ifExists(keys.session(receiver));
            }
            String message = Mailbox.message(notice.named(key.text()), key.text());
            transaction.put(
                    keys.message(receiver, number),
                    ByteString.copyFromUtf8(message),
                    Long.parseUnsignedLong(receiver, 16));
        }
        // if it fails, the write itself was not sent
        String what = what("write", key);
        CompletionStage<Long> undoubted = Stages.unapplied(answered(what, epoch.present()));
        return answered(what, undoubted.thenCompose(present -> {
            transaction.ifWrittenAt(keys.session(id), present).otherwiseReadKey(keys.session(id));
            return transact(transaction).handle((answer, error) -> settle(what, present, answer, error));
        }));
    }

    private OptionalLong settle(String what, long sentIn, TxnResponse answer, Throwable error) {
        if (error != null && Failures.isWithoutLease(error)) {
            // a receiver has ended at this moment
            return OptionalLong.empty();
        } else if (error != null) {
            StoreException failure = failures.of(what, error);
            // a server without space has applied the request, or never will
            if (failure.effect() == Effect.UNKNOWN && !Failures.isFull(error)) {
                epoch.doubt(sentIn);
            }
            throw failure;
        } else if (answer.getSucceeded()) {
            return OptionalLong.of(answer.getHeader().getRevision());
        }
        Optional<KeyValue> own = found(answer, 0);
        if (own.isEmpty()) {
            throw over();
        }
        epoch.seen(own.get().getModRevision());
        return OptionalLong.empty();
    }

    // ---- sessions

    @Override
    public CompletionStage<Set<String>> ended(Set<String> sessions) {
        List<String> asked = List.copyOf(sessions);
        List<List<String>> parts = new ArrayList<>();
        for (int from = 0; from < asked.size(); from += KEYS_PER_REQUEST) {
            parts.add(asked.subList(from, Math.min(asked.size(), from + KEYS_PER_REQUEST)));
        }
        return reading("ask for sessions", () -> Stages.all(parts.stream().map(this::endedOf)))
                .thenApply(all -> all.stream().flatMap(Set::stream).collect(toSet()));
    }

    private CompletionStage<Set<String>> endedOf(List<String> sessions) {
        Transaction request = new Transaction();
        sessions.forEach(session -> request.readKey(keys.session(session)));
        return transact(request)
                .thenApply(answer -> IntStream.range(0, sessions.size())
                        .filter(i -> found(answer, i).isEmpty())
                        .mapToObj(sessions::get)
                        .collect(toSet()));
    }

    // ---- lists

    @Override
    public CompletionStage<Map<RecordKey, Node>> list(RecordKey prefix) {
        ByteString first = keys.record(prefix);
        Map<RecordKey, Node> found = new HashMap<>();
        return reading("list", () -> pages(first, Keys.endOf(first), found)).thenApply(done -> found);
    }

    private CompletionStage<Void> pages(ByteString from, ByteString end, Map<RecordKey, Node> found) {
        return page(from, end).thenCompose(page -> {
            for (KeyValue each : page) {
                keys.name(each.getKey())
                        .ifPresent(
                                name -> found.put(name, new Node(each.getModRevision(), Optional.of(text(each)), 0)));
            }
            return page.size() < RECORDS_PER_PAGE
                    ? CompletableFuture.completedStage(null)
                    : pages(Keys.after(page.get(page.size() - 1).getKey()), end, found);
        });
    }

    /** Returns some records, from a key on. */
    CompletionStage<List<KeyValue>> records(ByteString from, ByteString end) {
        return reading("read records", () -> page(from, end));
    }

    /**
     * Deletes records that nobody has written since they were read, all or none, and raises the token floor.
     *
     * @param floor the highest token unit of the records
     * @return the revision; empty if one of them or the floor has changed
     */
    CompletionStage<OptionalLong> delete(List<KeyValue> records, long floor) {
        return reading(
                        "read the token floor",
                        () -> range(RangeRequest.newBuilder().setKey(keys.floor())))
                .thenCompose(answer -> {
                    Optional<KeyValue> before = answer.getKvsList().stream().findFirst();
                    long raised = Math.max(floor, before.map(EtcdSession::unit).orElse(0L));
                    Transaction deletion = new Transaction()
                            .ifWrittenAt(
                                    keys.floor(),
                                    before.map(KeyValue::getModRevision).orElse(0L))
                            .put(keys.floor(), ByteString.copyFromUtf8(Long.toString(raised)), 0);
                    records.forEach(each -> deletion.ifWrittenAt(each.getKey(), each.getModRevision())
                            .delete(each.getKey()));
                    return answered("delete records", transact(deletion));
                })
                .thenApply(answer -> answer.getSucceeded()
                        ? OptionalLong.of(answer.getHeader().getRevision())
                        : OptionalLong.empty());
    }

    private static long unit(KeyValue floor) {
        return Long.parseLong(text(floor));
    }

    private CompletionStage<List<KeyValue>> page(ByteString from, ByteString end) {
        return range(RangeRequest.newBuilder().setKey(from).setRangeEnd(end).setLimit(RECORDS_PER_PAGE))
                .thenApply(RangeResponse::getKvsList);
    }

    // ---- other clients

    /** A client as it describes itself. */
    private record Known(String session, String text) {}

    private CompletionStage<Optional<Known>> known(String clientId) {
        return reading(
                        "read client " + clientId,
                        () -> range(RangeRequest.newBuilder().setKey(keys.client(clientId))))
                .thenApply(answer -> answer.getKvsList().stream().findFirst().map(found -> {
                    String[] parts = text(found).split("\n", 2);
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
                .thenCompose(found ->
                        found.map(client -> post(client, text)).orElseGet(() -> CompletableFuture.completedStage(0L)));
    }

    private CompletionStage<Long> post(Known client, String text) {
        Transaction message = new Transaction()
                .ifExists(keys.session(client.session()))
                .put(
                        keys.message(client.session(), 0),
                        ByteString.copyFromUtf8(text),
                        Long.parseUnsignedLong(client.session(), 16));
        return answered("send a message", transact(message)).thenApply(answer -> answer.getSucceeded() ? 1L : 0L);
    }
}
