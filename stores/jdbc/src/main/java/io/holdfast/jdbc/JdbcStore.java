package io.holdfast.jdbc;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Capabilities.Signals;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.ServerClock;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TokenBlock;
import io.holdfast.support.ClientRecord;
import io.holdfast.support.TokenUnits;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The locks of one client in one database. Each request is one transaction, which runs on the calling thread. */
final class JdbcStore implements LockStore {

    private static final int MAX_PREFIX = 1_024;

    private final StoreConfig config;
    private final Address database;
    private final Connections connections;
    private final Transactions transactions;
    private final Renewals renewals;
    private final ServerClock clock = new ServerClock();
    private final Sweep sweep;
    private final String client;

    JdbcStore(StoreConfig config, Address database) {
        this.config = config;
        this.database = database;
        if (key("").length > MAX_PREFIX) {
            throw new IllegalArgumentException("keyPrefix is longer than " + MAX_PREFIX + " bytes of UTF-8");
        }
        Failures failures = new Failures(database);
        connections = new Connections(config, database, failures);
        transactions = new Transactions(connections, failures);
        renewals = new Renewals(transactions, failures, this::key);
        sweep = new Sweep(transactions, config, database);
        client = new ClientRecord(config).text();
    }

    /** Connects, and waits for the connection. */
    void connect() {
        try {
            connections.connect();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(true, Signals.NONE, false, Set.of(Share.Mode.LOCK), Duration.ofMillis(100), 512, true);
    }

    @Override
    public String describe() {
        return "H2 at " + database;
    }

    @Override
    public ServerClock clock(String name) {
        return clock;
    }

    private byte[] key(String name) {
        return (config.keyPrefix() + name).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public CompletionStage<Acquire.Reply> acquire(Acquire request) {
        return transactions.start("acquire '" + request.name() + "'", connection -> acquire(connection, request));
    }

    /**
     * Locks the row of the name until the end of the transaction, so that its state does not change. Returns {@code false} if
     * there is no row.
     */
    private boolean lock(Connection connection, String name) throws SQLException {
        return !Transactions.query(connection, Sql.LOCK, line -> true, (Object) key(name))
                .isEmpty();
    }

    /** Returns the reply; empty if another transaction has created the row in between. */
    private Optional<Acquire.Reply> acquire(Connection connection, Acquire request) throws SQLException {
        boolean exists = lock(connection, request.name());
        Optional<Acquire.Reply> granted = grant(connection, exists ? Sql.ACQUIRE : Sql.ACQUIRE_NEW, request);
        if (granted.isPresent()) {
            return granted;
        }
        Row row = Row.find(connection, key(request.name()));
        if (row.now() > request.notAfter()) {
            return Optional.of(new Acquire.Late(row.now()));
        }
        return row.isHeld() && !row.isHeldBy(request.tenure())
                ? Optional.of(new Acquire.Refused(row.left(), 0, List.of(), row.tenure(), row.now(), 0))
                : Optional.empty();
    }

    private Optional<Acquire.Reply> grant(Connection connection, String sql, Acquire request) throws SQLException {
        return Transactions.query(
                        connection,
                        sql,
                        line -> granted(line, request.lease()),
                        key(request.name()),
                        request.tenure().toString(),
                        micros(request.lease()),
                        TokenUnits.units(request.tokens()),
                        request.notAfter(),
                        client)
                .stream()
                .findFirst();
    }

    private static Acquire.Reply granted(ResultSet line, Duration lease) throws SQLException {
        return new Acquire.Granted(block(line.getLong(1), line.getLong(2)), lease, 0, List.of(), 0, line.getLong(3));
    }

    static TokenBlock block(long first, long last) {
        return TokenUnits.tokens(first, last - first + 1);
    }

    /** Returns the lease in microseconds, rounded up, because a lease must not end early. */
    static long micros(Duration lease) {
        return lease.plusNanos(999).toNanos() / 1_000;
    }

    @Override
    public CompletionStage<List<Renew.Reply>> renew(List<Renew> batch) {
        return renewals.start(batch);
    }

    @Override
    public CompletionStage<Release.Reply> release(Release request) {
        CompletionStage<Release.Reply> reply =
                transactions.start("release '" + request.name() + "'", connection -> release(connection, request));
        sweep.startIfDue();
        return reply;
    }

    private Optional<Release.Reply> release(Connection connection, Release request) throws SQLException {
        byte[] key = key(request.name());
        String tenure = request.tenure().toString();
        List<Row> before = lock(connection, request.name())
                ? Transactions.query(
                        connection, Sql.RELEASE, Row::read, key, tenure, TokenUnits.unit(request.lastToken()))
                : Transactions.query(connection, Sql.RELEASE_NEW, Row::read, key);
        Row row = before.get(0);
        return Optional.of(new Release.Reply(row.isHeldBy(request.tenure()), 0, row.now()));
    }

    @Override
    public CompletionStage<Optional<LockReport.Holder>> forceRelease(String name) {
        return transactions.start(
                "force-release '" + name + "'",
                connection -> lock(connection, name)
                        ? Optional.of(Transactions.query(connection, Sql.FORCE, Row::read, key(name)).stream()
                                .flatMap(row -> row.holder().stream())
                                .findFirst())
                        : Optional.of(Optional.empty()));
    }

    @Override
    public CompletionStage<LockReport> inspect(String name) {
        return transactions.start(
                "inspect '" + name + "'",
                connection -> Optional.of(Row.find(connection, key(name)).report(name)));
    }

    @Override
    public CompletionStage<List<LockReport>> list(String prefix) {
        return transactions.start(
                "list '" + prefix + "'",
                connection ->
                        Optional.of(Transactions.query(connection, Sql.LIST, this::listed, (Object) key(prefix))));
    }

    private LockReport listed(ResultSet line) throws SQLException {
        String name = new String(line.getBytes(6), StandardCharsets.UTF_8);
        return Row.read(line).report(name.substring(config.keyPrefix().length()));
    }

    @Override
    public CompletionStage<Void> confirmSignals() {
        return CompletableFuture.failedStage(
                new StoreException(Effect.REFUSED, describe() + " sends no signals; waiters poll"));
    }

    @Override
    public void close() {
        sweep.close();
        connections.close();
    }
}
