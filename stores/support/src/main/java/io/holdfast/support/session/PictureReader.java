package io.holdfast.support.session;

import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.RecordText;
import io.holdfast.support.record.Tokens;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records at the servers as this client reads them, together with the fate of the sessions in them. */
final class PictureReader {

    private static final Logger LOG = LoggerFactory.getLogger(PictureReader.class);

    private final StoreConfig config;
    private final RecordKeys keys;
    private final Sessions sessions;
    private final Pictures pictures = new Pictures();
    private final Fates fates = new Fates();

    PictureReader(StoreConfig config, Sessions sessions) {
        this.config = config;
        this.sessions = sessions;
        keys = new RecordKeys(config.keyPrefix());
    }

    Pictures pictures() {
        return pictures;
    }

    /** Reads a record, and asks for the sessions in it. */
    CompletionStage<Picture> read(Session session, RecordKey key) {
        return session.read(key).thenCompose(node -> {
            Picture picture = pictures.note(key, picture(session, key, node));
            return askForSessions(session, Stream.of(picture)).thenApply(asked -> picture);
        });
    }

    /** Reads all records below a prefix. One that cannot be read must not hide the others. */
    CompletionStage<Map<RecordKey, Picture>> list(Session session, RecordKey prefix) {
        return session.list(prefix).thenCompose(nodes -> {
            Map<RecordKey, Picture> readable = readable(session, nodes);
            return askForSessions(session, readable.values().stream()).thenApply(asked -> readable);
        });
    }

    private Map<RecordKey, Picture> readable(Session session, Map<RecordKey, Node> nodes) {
        Map<RecordKey, Picture> all = new HashMap<>();
        nodes.forEach((key, node) -> {
            try {
                Picture read = picture(session, key, node);
                all.put(key, pictures.of(key).map(read::after).orElse(read));
            } catch (StoreException e) {
                LOG.warn("The record of '{}' is not listed, because it cannot be read", keys.name(key), e);
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

    private CompletionStage<Void> askForSessions(Session session, Stream<Picture> all) {
        long now = config.platform().nanoTime();
        Set<String> unknown = fates.unknown(
                all.flatMap(picture -> picture.record().sessions())
                        .filter(id -> !id.equals(session.id()) && !sessions.isOver(id)),
                now);
        return unknown.isEmpty()
                ? CompletableFuture.completedStage(null)
                : session.ended(unknown).thenAccept(ended -> fates.answered(unknown, ended, now));
    }

    private boolean isOver(String session) {
        return fates.isOver(session) || sessions.isOver(session);
    }

    /** Returns the record without what belongs to sessions that have ended. */
    LockRecord living(Picture picture) {
        return picture.record().endSessions(this::isOver);
    }
}
