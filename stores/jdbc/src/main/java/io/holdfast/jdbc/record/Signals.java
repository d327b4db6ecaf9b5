package io.holdfast.jdbc.record;

import static java.util.stream.Collectors.toMap;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.Key;
import io.holdfast.jdbc.sql.Message;
import io.holdfast.jdbc.sql.Row;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.support.Mailbox;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The way in which a client learns of what other clients have written: it looks, and does not need to while it listens.
 *
 * @param listener empty if the database carries no messages, or if the user does not want them
 */
record Signals(StoreConfig config, RecordKeys keys, Looker looker, Optional<Listener> listener) {

    /**
     * Creates the signals of a client.
     *
     * @param listens whether to use the messages of the database, if it carries any
     */
    static Signals of(StoreConfig config, Dialect dialect, Sessions sessions, Platform.Timer timer, boolean listens) {
        RecordKeys keys = new RecordKeys(config.keyPrefix());
        Looker looker =
                new Looker(
                        config,
                        timer,
                        names -> sessions
                                .run(
                                        "look",
                                        each -> dialect.readAll(
                                                each,
                                                names.stream().map(Key::of).toList()))
                                .entrySet()
                                .stream()
                                .collect(toMap(
                                        entry -> entry.getKey().record(),
                                        entry -> new RowSight(
                                                keys.name(entry.getKey().record()), entry.getValue()))));
        return new Signals(
                config,
                keys,
                looker,
                dialect.messages()
                        .filter(messages -> listens)
                        .map(messages -> new Listener(config, timer, messages, sessions, looker)));
    }

    /** A row as the looker sees it. */
    private record RowSight(String name, Row row) implements Looker.Sight {

        @Override
        public long version() {
            return row.version().orElseThrow();
        }

        @Override
        public LockRecord record() {
            return row.columns().record(name);
        }

        @Override
        public Moment moment() {
            return Moment.of(row.now(), row.run());
        }
    }

    /** Begins to listen, and waits until messages arrive. Returns {@code false} if they do not, so that the client looks. */
    boolean listen() {
        listener.ifPresent(Listener::start);
        return listener.filter(each -> each.awaitHearing(config.commandTimeout().multipliedBy(2)))
                .isPresent();
    }

    /** Prepares for a request that may lead to a signal. */
    void use() {
        listener.ifPresent(Listener::use);
    }

    /** Returns the messages that a write has to send to other clients. */
    List<Message> messages(RecordKey key, List<Notice> notices) {
        return listener.isEmpty()
                ? List.of()
                : notices.stream()
                        .filter(notice ->
                                !notice.to().clientId().equals(config.client().id()))
                        .map(notice -> message(key, notice))
                        .toList();
    }

    /** Sends the messages of a request that writes nothing, for example to the holder of a lingering lock. */
    void send(Connection connection, List<Message> messages) throws SQLException {
        for (Message message : messages) {
            listener.orElseThrow().send(connection, message);
        }
    }

    private Message message(RecordKey key, Notice notice) {
        return new Message(notice.to().clientId(), Mailbox.message(notice.named(keys.name(key)), key.text()));
    }

    CompletionStage<Void> confirm() {
        return listener.map(Listener::confirm).orElseGet(looker::confirm);
    }

    /** Ends the signals. */
    void close() {
        listener.ifPresent(Listener::close);
        looker.close();
    }
}
