package io.holdfast.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.testkit.contract.RealTimeHarness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.bson.Document;

/** A database whose documents can be looked at. */
final class MongoHarness extends RealTimeHarness {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final MongoClient client = Servers.client();

    private MongoCollection<Document> collection(String name) {
        return client.getDatabase(Objects.requireNonNull(new ConnectionString(Servers.uri()).getDatabase()))
                .getCollection(name);
    }

    @Override
    public String uri() {
        return Servers.uri();
    }

    @Override
    public LockStore open(StoreConfig config) {
        return new MongoStoreProvider().open(config);
    }

    @Override
    public void wipe() {
        var unused = collection("holdfast_locks").deleteMany(new Document());
        unused = collection("holdfast_clients").deleteMany(new Document());
    }

    @Override
    public void close() {
        MongoCollection<Document> clients = collection("holdfast_clients");
        passUntil(() -> clients.countDocuments() == 0, LIMIT);
        List<Document> left = clients.find().into(new ArrayList<>());
        var unused = clients.deleteMany(new Document());
        client.close();
        assertThat(left).as("clients").isEmpty();
    }
}
