package io.holdfast.benchmarks.subject;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock, by the time of the database. Its lock does not wait, so an attempt follows every 100 ms. */
final class ShedLockSubject extends TableSubject {

    static final String TABLE = "shedlock";

    private final LockProvider provider;
    private final Duration lease;

    ShedLockSubject(String uri, Duration lease) {
        super(
                uri,
                "CREATE TABLE IF NOT EXISTS " + TABLE + " (name VARCHAR(64) NOT NULL PRIMARY KEY, lock_until "
                        + timestamp(uri) + " NOT NULL, locked_at " + timestamp(uri)
                        + " NOT NULL, locked_by VARCHAR(255) NOT NULL)");
        this.lease = lease;
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(database))
                .usingDbTime()
                .build());
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
                    pause();
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
}
