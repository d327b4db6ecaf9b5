package io.holdfast.benchmarks.subject;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Two bare updates of one document by its id: the cost of server and driver alone. It waits for nobody, and renews nothing. */
final class MongoFloor implements Subject {

    private final Mongo mongo;
    private final MongoCollection<Document> documents;
    private final String holder = UUID.randomUUID().toString();

    MongoFloor(String uri) {
        mongo = new Mongo(uri);
        documents = mongo.collection("bare_updates");
    }

    @Override
    public Lock lock(String name) {
        Bson byId = Filters.eq(name);
        var unused = documents.insertOne(new Document("_id", name).append("until", 0L));
        return new SimpleLock() {
            @Override
            public void lock() {
                require(documents.updateOne(
                        byId, Updates.combine(Updates.set("holder", holder), Updates.inc("until", 1L))));
            }

            @Override
            public void unlock() {
                require(documents.updateOne(Filters.and(byId, Filters.eq("holder", holder)), Updates.unset("holder")));
            }

            private void require(UpdateResult result) {
                if (result.getMatchedCount() != 1) {
                    throw new IllegalStateException(name + " is not ours");
                }
            }
        };
    }

    @Override
    public void close() {
        mongo.close();
    }
}
