package io.holdfast.jdbc;

import io.holdfast.jdbc.connection.Connections;
import io.holdfast.jdbc.connection.Database;
import io.holdfast.jdbc.record.Sessions;
import io.holdfast.jdbc.record.TableStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.StoreClient;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The sessions of a store on a server. A test sees what runs on them, and may act between a read and a write. */
final class WatchedSessions implements Sessions {

    /**
     * Work that ran.
     *
     * @param what the text of the request
     * @param thread the thread that ran it
     */
    record Ran(String what, Thread thread) {}

    private final Sessions real;
    private final List<Ran> ran = new CopyOnWriteArrayList<>();
    private volatile Predicate<String> beforeWrite = what -> true;

    private WatchedSessions(Sessions real) {
        this.real = real;
    }

    /**
     * A client, and its sessions.
     *
     * @param sessions the sessions of the store of the client
     */
    record Watched(StoreClient client, WatchedSessions sessions) implements AutoCloseable {

        @Override
        public void close() {
            client.close();
        }
    }

    static Watched client(String url) {
        return client(url, config -> config);
    }

    static Watched client(String url, UnaryOperator<StoreConfig> configuration) {
        Provider provider = new Provider();
        return new Watched(new StoreClient(provider, url, configuration), provider.opened.get(0));
    }

    private static final class Provider implements StoreProvider {

        private final List<WatchedSessions> opened = new CopyOnWriteArrayList<>();

        @Override
        public Set<String> schemes() {
            return Set.of("jdbc");
        }

        @Override
        public LockStore open(StoreConfig config) {
            Address address = Address.parse(config.uri(), config.commandTimeout());
            Database database = address.database();
            Connections connections = new Connections(config, database);
            connections.connect();
            WatchedSessions watched = new WatchedSessions(connections);
            opened.add(watched);
            StoreSettings settings = address.settings();
            return TableStore.open(config, database.dialect(), watched, settings.sweepAfter(), settings.listens());
        }
    }

    /** What has run since the last call of {@link #forget}. */
    List<Ran> ran() {
        return ran;
    }

    void forget() {
        ran.clear();
    }

    /**
     * Sets what happens before each write, given the text of its request. If it returns {@code false}, the database ends the
     * statement in favor of another transaction.
     */
    void beforeWrite(Predicate<String> value) {
        beforeWrite = value;
    }

    @Override
    public <T> T run(String what, Work<T> work) {
        ran.add(new Ran(what, Thread.currentThread()));
        return real.run(what, work);
    }

    @Override
    public <T> Optional<T> write(String what, Connection connection, Write<T> statement) {
        return beforeWrite.test(what) ? real.write(what, connection, statement) : Optional.empty();
    }

    @Override
    public Connection open(String what) {
        return real.open(what);
    }

    @Override
    public void onItsOwnThread(Runnable task, Duration limit) {
        real.onItsOwnThread(task, limit);
    }

    @Override
    public int callers() {
        return real.callers();
    }

    @Override
    public StoreException rowLocked(String what) {
        return real.rowLocked(what);
    }

    @Override
    public String address() {
        return real.address();
    }

    @Override
    public void close() {
        real.close();
    }
}
