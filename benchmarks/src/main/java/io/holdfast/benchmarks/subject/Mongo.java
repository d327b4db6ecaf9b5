package io.holdfast.benchmarks.subject;

import com.mongodb.ConnectionString;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.util.Objects;
import org.bson.Document;

/** A client of the database that a URI names. */
public final class Mongo implements AutoCloseable {

    private final MongoClient client;
    private final String name;

    /** Connects. */
    public Mongo(String uri) {
        ConnectionString address = new ConnectionString(uri);
        name = Objects.requireNonNull(address.getDatabase(), "--store names no database, as in mongodb://host/locks");
        client = MongoClients.create(address);
    }

    /** Returns the database. */
    public MongoDatabase database() {
        return client.getDatabase(name);
    }

    MongoCollection<Document> collection(String collection) {
        return database().getCollection(collection).withWriteConcern(WriteConcern.MAJORITY);
    }

    @Override
    public void close() {
        client.close();
    }
}
