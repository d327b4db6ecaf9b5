package io.holdfast.benchmarks.subject;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** The locks of Curator, with its defaults. They are fair. */
final class CuratorSubject implements Subject {

    // of Curator's own examples
    private static final int RETRY_MILLIS = 1_000;
    private static final int RETRIES = 3;

    private final CuratorFramework client;

    CuratorSubject(String uri) {
        client = CuratorFrameworkFactory.newClient(
                ServerKind.withoutScheme(uri), new ExponentialBackoffRetry(RETRY_MILLIS, RETRIES));
        client.start();
    }

    @Override
    public Lock lock(String name) {
        return new Mutex(new InterProcessMutex(client, path(name)));
    }

    @Override
    public Lock fairLock(String name) {
        return lock(name);
    }

    @Override
    public ReadWriteLock readWriteLock(String name) {
        InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path(name));
        Lock read = new Mutex(lock.readLock());
        Lock write = new Mutex(lock.writeLock());
        return new ReadWriteLock() {
            @Override
            public Lock readLock() {
                return read;
            }

            @Override
            public Lock writeLock() {
                return write;
            }
        };
    }

    private static String path(String name) {
        return "/curator/" + name;
    }

    private static final class Mutex extends SimpleLock {

        private final InterProcessMutex mutex;

        private Mutex(InterProcessMutex mutex) {
            this.mutex = mutex;
        }

        private interface Step {
            void run() throws Exception;
        }

        private static void run(Step step) {
            try {
                step.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void lock() {
            run(mutex::acquire);
        }

        @Override
        public void unlock() {
            run(mutex::release);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
