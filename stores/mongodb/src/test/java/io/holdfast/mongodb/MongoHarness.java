package io.holdfast.mongodb;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.Document;

/** A server whose documents can be looked at. Each harness has a database of its own. */
final class MongoHarness extends RealTimeHarness {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String uri = Servers.uri("rule" + NUMBERS.incrementAndGet());
    private final MongoClient client = MongoClients.create(uri);
    private final MongoDatabase database =
            client.getDatabase(Objects.requireNonNull(new ConnectionString(uri).getDatabase()));

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new MongoStoreProvider().open(config);
    }

    @Override
    public void wipe() {
        var unused = database.getCollection("holdfast_locks").deleteMany(new Document());
        unused = database.getCollection("holdfast_clients").deleteMany(new Document());
    }

    /** Each document is put back at once. */
    @Override
    public Optional<Runnable> backup() {
        MongoCollection<Document> locks = database.getCollection("holdfast_locks");
        Map<Object, Document> kept = byId(locks);
        return Optional.of(() -> {
            byId(locks).keySet().stream()
                    .filter(id -> !kept.containsKey(id))
                    .forEach(id -> locks.deleteOne(Filters.eq("_id", id)));
            kept.forEach((id, document) ->
                    locks.replaceOne(Filters.eq("_id", id), document, new ReplaceOptions().upsert(true)));
        });
    }

    private static Map<Object, Document> byId(MongoCollection<Document> locks) {
        return locks.find().into(new ArrayList<>()).stream()
                .collect(toMap(document -> document.get("_id"), document -> document));
    }

    /** A guarded acquire adds one to the last token. */
    @Override
    public boolean tokensFollowClock() {
        return false;
    }

    @Override
    public void close() {
        MongoCollection<Document> clients = database.getCollection("holdfast_clients");
        passUntil(() -> clients.countDocuments() == 0, LIMIT);
        List<Document> left = clients.find().into(new ArrayList<>());
        database.drop();
        client.close();
        assertThat(left).as("clients").isEmpty();
    }
}
