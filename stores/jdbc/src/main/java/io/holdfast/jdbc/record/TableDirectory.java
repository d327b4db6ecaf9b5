package io.holdfast.jdbc.record;

import static java.util.stream.Collectors.toMap;

import io.holdfast.LockReport;
import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clients in the table of clients. They can be asked about their holds where the database carries messages. */
final class TableDirectory implements Directory {

    private static final Logger LOG = LoggerFactory.getLogger(TableDirectory.class);

    private final Dialect dialect;
    private final Sessions sessions;
    private final String clientId;
    private final ClientRecord self;
    private final Signals signals;

    TableDirectory(StoreConfig config, Dialect dialect, Sessions sessions, Signals signals) {
        this.dialect = dialect;
        this.sessions = sessions;
        clientId = config.client().id();
        self = new ClientRecord(config);
        this.signals = signals;
    }

    @Override
    public CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids) {
        return TableRecords.start(() -> ids.isEmpty()
                ? Map.of()
                : sessions
                        .run("read clients", connection -> dialect.clients(connection, List.copyOf(ids)))
                        .entrySet()
                        .stream()
                        .collect(toMap(Map.Entry::getKey, entry -> identity(entry.getKey(), entry.getValue()))));
    }

    /** Returns the identity that a client has written. A person may have written another text. */
    private static LockReport.Client identity(String id, String text) {
        try {
            return ClientRecord.read(id, text);
        } catch (RuntimeException e) {
            LOG.debug("what client {} has written cannot be read", id, e);
            return LockReport.Client.unknown(id);
        }
    }

    @Override
    public CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder) {
        return signals.listener()
                .map(listener ->
                        listener.mailbox().describe(holder, signals.keys().name(key)))
                .orElseGet(() -> TableRecords.completed(Optional.empty()));
    }

    /** Writes who this client is, if that is due. */
    void introduce() {
        if (self.takeTurn()) {
            write("introduce", connection -> dialect.introduce(connection, clientId, self.text()));
        }
    }

    /** Deletes what this client has written. */
    void leave() {
        if (self.isWritten()) {
            write("leave", connection -> dialect.forget(connection, clientId));
        }
    }

    /** Runs a statement. What it writes is for people only, so a failure is not reported to the caller. */
    private void write(String what, Sessions.Work<Boolean> statement) {
        try {
            var unused = sessions.runWrite(what, statement);
        } catch (RuntimeException e) {
            LOG.debug("the table of clients was not written", e);
        }
    }
}
