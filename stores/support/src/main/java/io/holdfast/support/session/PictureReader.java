package io.holdfast.support.session;

import static io.holdfast.spi.Names.quoted;
import static java.util.stream.Collectors.toSet;

import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.Holder;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Place;
import io.holdfast.support.record.RecordText;
import io.holdfast.support.record.Tokens;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records at the servers as this client reads them, together with the fate of the sessions in them. */
final class PictureReader {

    /** The number of ended sessions from which on all are forgotten. */
    private static final int MOST_ENDED = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(PictureReader.class);

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Sessions sessions;
    private final Pictures pictures = new Pictures();
    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    PictureReader(StoreConfig config, Sessions sessions) {
        this.config = config;
        this.sessions = sessions;
        keys = new RecordKeys(config.keyPrefix());
    }

    Pictures pictures() {
        return pictures;
    }

    /**
     * Reads a record for a decision. Asks for the sessions of its holders and of the position that comes next, because a crowd of
     * waiters would cost many questions. A waiter farther behind that has died is found out by the write that would notify it.
     *
     * @param suspected further sessions to ask for
     * @param asked the sessions that need not be asked for again; those that are asked for are added
     */
    CompletionStage<Picture> read(Session session, RecordKey key, Set<String> suspected, Set<String> asked) {
        return read(session, key, record -> Stream.concat(deciding(record), suspected.stream()), asked);
    }

    /** Reads a record for a report, and asks for all sessions in it. */
    CompletionStage<Picture> read(Session session, RecordKey key) {
        return read(session, key, LockRecord::sessions, new HashSet<>());
    }

    /**
     * Reads a record, and asks for sessions. Those of the last picture are asked for together with the read, so only new ones cost a
     * round trip of their own.
     */
    private CompletionStage<Picture> read(
            Session session, RecordKey key, Function<LockRecord, Stream<String>> relevant, Set<String> asked) {
        Set<String> expected =
                unknown(session, pictures.of(key).map(Picture::record).stream().flatMap(relevant), asked);
        return session.read(key)
                .thenApply(node -> pictures.note(key, picture(session, key, node)))
                .thenCombine(ask(session, expected), (picture, answered) -> picture)
                .thenCompose(picture -> ask(session, unknown(session, relevant.apply(picture.record()), asked))
                        .thenApply(answered -> picture));
    }

    private static Stream<String> deciding(LockRecord record) {
        return Stream.concat(
                        record.holders().all().stream().map(Holder::claimant),
                        record.queue().all().stream().limit(1).map(Place::claimant))
                .flatMap(claimant -> claimant.session().stream());
    }

    /**
     * Reads a record again, because a message says that another client has written it. So a later release needs one write. Nothing
     * waits for the answer.
     */
    void refresh(RecordKey key) {
        var unused = sessions.present().thenCompose(session -> read(session, key, Set.of(), new HashSet<>()));
    }

    /** Reads all records below a prefix. One that cannot be read must not hide the others. */
    CompletionStage<Map<RecordKey, Picture>> list(Session session, RecordKey prefix) {
        return session.list(prefix).thenCompose(nodes -> {
            Map<RecordKey, Picture> readable = readable(session, nodes);
            Stream<String> all = readable.values().stream().map(Picture::record).flatMap(LockRecord::sessions);
            return ask(session, unknown(session, all, new HashSet<>())).thenApply(answered -> readable);
        });
    }

    private Map<RecordKey, Picture> readable(Session session, Map<RecordKey, Node> nodes) {
        Map<RecordKey, Picture> all = new HashMap<>();
        nodes.forEach((key, node) -> {
            try {
                Picture read = picture(session, key, node);
                all.put(key, pictures.of(key).map(read::after).orElse(read));
            } catch (StoreException e) {
                LOG.warn("The record of {} is not listed, because it cannot be read", quoted(keys.name(key)), e);
            }
        });
        return all;
    }

    private Picture picture(Session session, RecordKey key, Node node) {
        LockRecord record = node.text()
                .map(text -> RecordText.decode(keys.name(key), text))
                .orElse(LockRecord.EMPTY.with(new Tokens(node.floorUnit(), node.floorUnit())));
        return Picture.of(
                node.version(), record, session.id(), config.platform().nanoTime());
    }

    // ---- sessions

    /** Returns the sessions of other clients that are not known to have ended, and adds them to those that were asked for. */
    private Set<String> unknown(Session session, Stream<String> all, Set<String> asked) {
        return all.filter(id -> !id.equals(session.id()) && !isOver(id) && asked.add(id))
                .collect(toSet());
    }

    /** Asks which sessions have ended. A session that has ended never lives again. */
    private CompletionStage<Void> ask(Session session, Set<String> unknown) {
        return unknown.isEmpty()
                ? CompletableFuture.completedStage(null)
                : session.ended(unknown).thenAccept(over -> {
                    if (ended.size() > MOST_ENDED) {
                        // the servers are asked again
                        ended.clear();
                    }
                    ended.addAll(over);
                });
    }

    private boolean isOver(String session) {
        return ended.contains(session) || sessions.isOver(session);
    }

    /** Returns the record without what belongs to sessions that have ended, unless it is to be kept. */
    LockRecord living(Picture picture) {
        return picture.record().endSessions(this::isOver, config.platform().wallMillis() * 1_000);
    }
}
