package io.holdfast.mongodb.record;

import static java.util.stream.Collectors.toMap;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.store.Directory;
import io.holdfast.support.store.RecordKey;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clients in the collection of clients. They cannot be asked about their holds. */
final class Clients implements Directory {

    private static final Logger LOG = LoggerFactory.getLogger(Clients.class);

    private final MongoCollection<Document> collection;
    private final Failures failures;
    private final String clientId;
    private final ClientRecord self;

    Clients(StoreConfig config, MongoCollection<Document> collection, Failures failures) {
        this.collection = collection;
        this.failures = failures;
        clientId = config.client().id();
        self = new ClientRecord(config);
    }

    @Override
    public CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids) {
        return MongoRecords.start(() -> ids.isEmpty()
                ? Map.of()
                : failures
                        .reading(
                                "read clients",
                                () -> collection
                                        .find(Filters.in("_id", List.copyOf(ids)))
                                        .into(new ArrayList<>()))
                        .stream()
                        .collect(toMap(each -> each.getString("_id"), Clients::identity)));
    }

    /** Returns the identity that a client has written. A person may have written another text. */
    private static LockReport.Client identity(Document found) {
        String id = found.getString("_id");
        try {
            return ClientRecord.read(id, found.getString("identity"));
        } catch (RuntimeException e) {
            LOG.debug("what client {} has written cannot be read", id, e);
            return LockReport.Client.unknown(id);
        }
    }

    @Override
    public CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder) {
        return CompletableFuture.completedStage(Optional.empty());
    }

    /** Writes who this client is, if that is due. */
    void introduce() {
        if (self.takeTurn()) {
            write(() -> collection.updateOne(
                    Filters.eq("_id", clientId),
                    new Document("$set", new Document("identity", self.text()))
                            .append("$currentDate", new Document("at", true)),
                    new UpdateOptions().upsert(true)));
        }
    }

    /** Deletes what this client has written. */
    void leave() {
        if (self.isWritten()) {
            write(() -> collection.deleteOne(Filters.eq("_id", clientId)));
        }
    }

    /** Forgets the clients that were not seen since a time. */
    void forgetUnseen(Date since) {
        write(() -> collection.deleteMany(Filters.lt("at", since)));
    }

    /** Writes. What is written is for people only, so a failure is not reported to the caller. */
    private static void write(Supplier<?> command) {
        try {
            var unused = command.get();
        } catch (MongoException | IllegalStateException e) {
            LOG.debug("the collection of clients was not written", e);
        }
    }
}
