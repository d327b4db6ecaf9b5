package io.holdfast.benchmarks.subject;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock: in a table, by the time of the database, or in MongoDB. Its lock does not wait, so an attempt follows every 100 ms. */
final class ShedLockSubject implements Subject {

    static final String TABLE = "shedlock";

    private final LockProvider provider;
    private final Duration lease;
    private final Runnable close;

    private ShedLockSubject(LockProvider provider, Duration lease, Runnable close) {
        this.provider = provider;
        this.lease = lease;
        this.close = close;
    }

    static Subject of(String uri, Duration lease) {
        return ServerKind.of(uri) == ServerKind.MONGODB ? ofMongo(uri, lease) : ofTable(uri, lease);
    }

    private static Subject ofMongo(String uri, Duration lease) {
        Mongo mongo = new Mongo(uri);
        return new ShedLockSubject(new MongoLockProvider(mongo.collection(TABLE)), lease, mongo::close);
    }

    private static Subject ofTable(String uri, Duration lease) {
        String timestamp = TableSubject.timestamp(uri);
        HikariDataSource database = TableSubject.open(
                uri,
                "CREATE TABLE IF NOT EXISTS " + TABLE + " (name VARCHAR(64) NOT NULL PRIMARY KEY, lock_until "
                        + timestamp + " NOT NULL, locked_at " + timestamp
                        + " NOT NULL, locked_by VARCHAR(255) NOT NULL)");
        LockProvider provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(database))
                .usingDbTime()
                .build());
        return new ShedLockSubject(provider, lease, database::close);
    }

    @Override
    public Lock lock(String name) {
        return new SimpleLock() {
            private Optional<net.javacrumbs.shedlock.core.SimpleLock> held = Optional.empty();

            @Override
            public void lock() {
                LockConfiguration configuration = new LockConfiguration(Instant.now(), name, lease, Duration.ZERO);
                Optional<net.javacrumbs.shedlock.core.SimpleLock> acquired = provider.lock(configuration);
                while (acquired.isEmpty()) {
                    TableSubject.pause();
                    acquired = provider.lock(configuration);
                }
                // only the holder writes it
                held = acquired;
            }

            @Override
            public void unlock() {
                held.orElseThrow().unlock();
            }
        };
    }

    @Override
    public void close() {
        close.run();
    }
}
