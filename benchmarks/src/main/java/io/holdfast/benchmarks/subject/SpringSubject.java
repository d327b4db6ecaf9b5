package io.holdfast.benchmarks.subject;

import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** The lock registry of Spring Integration for JDBC, with its defaults. */
final class SpringSubject extends TableSubject {

    static final String TABLE = "INT_LOCK";

    private final JdbcLockRegistry registry;

    SpringSubject(String uri, Duration lease) {
        super(
                uri,
                "CREATE TABLE IF NOT EXISTS " + TABLE + " (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,"
                        + " CLIENT_ID CHAR(36), CREATED_DATE " + timestamp(uri)
                        + " NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))");
        DefaultLockRepository repository = new DefaultLockRepository(database);
        repository.setTimeToLive((int) lease.toMillis());
        repository.setTransactionManager(new DataSourceTransactionManager(database));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        registry = new JdbcLockRegistry(repository);
    }

    @Override
    public Lock lock(String name) {
        return registry.obtain(name);
    }
}
