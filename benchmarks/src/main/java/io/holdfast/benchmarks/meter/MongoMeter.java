package io.holdfast.benchmarks.meter;

import com.mongodb.client.MongoCollection;
import io.holdfast.benchmarks.subject.Mongo;
import java.util.ArrayList;
import java.util.List;
import org.bson.Document;

/** The counters of MongoDB, by {@code serverStatus}. A server that has no such counters counts nothing. */
final class MongoMeter implements ServerMeter {

    private static final List<String> OPERATIONS = List.of("insert", "query", "update", "delete", "getmore", "command");

    private final String uri;
    private final Mongo mongo;

    MongoMeter(String uri) {
        this.uri = uri;
        mongo = new Mongo(uri);
    }

    @Override
    public Reading read() {
        Document status = mongo.database().runCommand(new Document("serverStatus", 1));
        Document counters = status.get("opcounters", new Document());
        long sum = OPERATIONS.stream()
                .map(name -> counters.get(name, Number.class))
                .filter(count -> count != null)
                .mapToLong(Number::longValue)
                .sum();
        return new Reading(sum, 0, 0, 0);
    }

    @Override
    public long present(String prefix, int count) {
        return Locks.held(uri, prefix, count);
    }

    @Override
    public String version() {
        return "MongoDB's protocol "
                + mongo.database().runCommand(new Document("buildInfo", 1)).getString("version");
    }

    private List<MongoCollection<Document>> collections() {
        List<MongoCollection<Document>> collections = new ArrayList<>();
        for (String name : mongo.database().listCollectionNames()) {
            collections.add(mongo.database().getCollection(name));
        }
        return collections;
    }

    @Override
    public boolean isEmpty() {
        return collections().stream().allMatch(collection -> collection.countDocuments() == 0);
    }

    @Override
    public void clear() {
        collections().forEach(MongoCollection::drop);
    }

    @Override
    public void close() {
        mongo.close();
    }
}
