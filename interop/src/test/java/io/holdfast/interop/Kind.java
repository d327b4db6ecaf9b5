package io.holdfast.interop;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The two libraries, as far as both do the same. */
enum Kind {
    HOLDFAST {
        @Override
        Client connect(String uri, Duration lease) {
            return holdfast(uri, lease, Duration.ofSeconds(1));
        }
    },

    REDISSON {
        @Override
        Client connect(String uri, Duration lease) {
            RedissonClient client = redisson(uri, lease);
            return new Client() {
                @Override
                public Lock lock(String name) {
                    return client.getLock(name);
                }

                @Override
                public Lock fairLock(String name) {
                    return client.getFairLock(name);
                }

                @Override
                public ReadWriteLock readWriteLock(String name) {
                    return client.getReadWriteLock(name);
                }

                @Override
                public void close() {
                    client.shutdown();
                }
            };
        }
    };

    /** A client of one of them. Closing one of Redisson's leaves its locks to their leases. */
    interface Client extends AutoCloseable {

        Lock lock(String name);

        Lock fairLock(String name);

        ReadWriteLock readWriteLock(String name);

        @Override
        void close();
    }

    /** Connects, with that lease for locks that are renewed. */
    abstract Client connect(String uri, Duration lease);

    /** A client of Holdfast's, whose waiters ask at that interval if they are not told. */
    static Client holdfast(String uri, Duration lease, Duration pollInterval) {
        Holdfast client = Holdfast.builder()
                .uri(uri + "?interop=redisson")
                .lease(lease)
                .pollInterval(pollInterval)
                .build();
        return new Client() {
            @Override
            public Lock lock(String name) {
                return client.lock(name);
            }

            @Override
            public Lock fairLock(String name) {
                return client.fairLock(name);
            }

            @Override
            public ReadWriteLock readWriteLock(String name) {
                return client.readWriteLock(name);
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    /** A client of Redisson's, with that lease for locks that are renewed. */
    static RedissonClient redisson(String uri, Duration lease) {
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis()).setThreads(2).setNettyThreads(2);
        config.useSingleServer().setAddress(uri).setConnectionMinimumIdleSize(2).setConnectionPoolSize(16);
        return Redisson.create(config);
    }

    Kind other() {
        return this == HOLDFAST ? REDISSON : HOLDFAST;
    }

    /** Locks without renewal. */
    static void lock(Lock lock, Duration lease) {
        if (lock instanceof DistributedLock ours) {
            ours.lock(lease);
        } else {
            ((RLock) lock).lock(lease.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    static void forceUnlock(Lock lock) {
        boolean forced = lock instanceof DistributedLock ours ? ours.forceUnlock() : ((RLock) lock).forceUnlock();
        if (!forced) {
            throw new AssertionError("nothing was held");
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
