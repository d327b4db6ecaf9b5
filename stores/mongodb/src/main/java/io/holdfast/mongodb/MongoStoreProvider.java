package io.holdfast.mongodb;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoConfigurationException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.holdfast.Safety;
import io.holdfast.mongodb.record.MongoStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The provider of the store for MongoDB.
 *
 * <p>It opens a connection string of MongoDB, {@code mongodb://} or {@code mongodb+srv://}, with all options of the driver. The
 * store keeps its collections in the database of the string, or in the database {@code holdfast}. Every write waits for a majority
 * of the servers. A connection string with another write concern is refused.
 */
public final class MongoStoreProvider implements StoreProvider {

    private static final String DATABASE = "holdfast";

    /** Creates the provider for {@link java.util.ServiceLoader}. */
    public MongoStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("mongodb", "mongodb+srv");
    }

    /** Every write waits for a majority of the servers in any case, so {@link #open} refuses a level of safety with the reason. */
    @Override
    public boolean replicates() {
        return true;
    }

    @Override
    public LockStore open(StoreConfig config) {
        if (!config.safety().equals(Safety.async())) {
            throw new IllegalArgumentException("safety " + config.safety()
                    + ": with MongoDB, every write waits for a majority of the servers; remove the level");
        }
        ConnectionString uri = parse(config.uri());
        String database = Optional.ofNullable(uri.getDatabase()).orElse(DATABASE);
        String address = "MongoDB at " + String.join(",", uri.getHosts()) + "/" + database;
        MongoClient client = MongoClients.create(settings(uri, config));
        boolean opened = false;
        try {
            LockStore store = MongoStore.open(config, client, database, address);
            opened = true;
            return store;
        } finally {
            if (!opened) {
                client.close();
            }
        }
    }

    private static ConnectionString parse(String text) {
        ConnectionString uri;
        try {
            uri = new ConnectionString(text);
        } catch (IllegalArgumentException e) {
            // without the cause, whose text may have the password
            throw new IllegalArgumentException("not an address of MongoDB: '" + StoreUri.masked(text)
                    + "'; write mongodb://user:password@host:27017/database");
        } catch (MongoConfigurationException e) {
            throw new StoreException(
                    StoreException.Effect.NOT_APPLIED,
                    StoreUri.masked(text) + ": the servers cannot be found by DNS: " + e.getMessage(),
                    e);
        }
        WriteConcern stated = uri.getWriteConcern();
        if (stated != null && stated.getWObject() != null && !"majority".equals(stated.getWObject())) {
            throw new IllegalArgumentException("w=" + stated.getWObject()
                    + ": a failover could forget a lock that fewer servers than a majority have; remove w");
        }
        return uri;
    }

    private static MongoClientSettings settings(ConnectionString uri, StoreConfig config) {
        Duration command = config.commandTimeout();
        return MongoClientSettings.builder()
                .applyConnectionString(uri)
                .applicationName("holdfast")
                // a write counts when a majority has it on disk, and a decision is based only on such writes
                .writeConcern(WriteConcern.MAJORITY.withJournal(true))
                .readConcern(ReadConcern.MAJORITY)
                .readPreference(ReadPreference.primary())
                .timeout(command.toMillis(), TimeUnit.MILLISECONDS)
                .applyToClusterSettings(
                        cluster -> cluster.serverSelectionTimeout(command.toMillis(), TimeUnit.MILLISECONDS))
                .applyToSocketSettings(
                        socket -> socket.connectTimeout(config.connectTimeout().toMillis(), TimeUnit.MILLISECONDS))
                .build();
    }
}
