package io.holdfast.spi;

import java.security.SecureRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The JDK's clocks and threads. */
final class SystemPlatform implements Platform {

    static final SystemPlatform INSTANCE = new SystemPlatform();

    private static final long IDLE_SECONDS = 5;

    private final SecureRandom random = new SecureRandom();

    private SystemPlatform() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long randomLong() {
        return random.nextLong();
    }

    @Override
    public void park(Object blocker, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(blocker);
        } else {
            LockSupport.parkNanos(blocker, nanos);
        }
    }

    @Override
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    @Override
    public Timer timer(String threadName) {
        return new SystemTimer(threadName);
    }

    @Override
    public Worker worker(String threadName, int threads) {
        return new SystemWorker(threadName, threads);
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private static final class SystemTimer implements Timer {

        private final ScheduledThreadPoolExecutor executor;

        SystemTimer(String threadName) {
            executor = new ScheduledThreadPoolExecutor(1, daemons(threadName), new ThreadPoolExecutor.DiscardPolicy());
            executor.setRemoveOnCancelPolicy(true);
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }

        @Override
        public Task schedule(long delayNanos, Runnable task) {
            var future = executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }

    private static final class SystemWorker implements Worker {

        private final ThreadPoolExecutor executor;

        SystemWorker(String threadName, int threads) {
            executor = new ThreadPoolExecutor(
                    threads,
                    threads,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    daemons(threadName),
                    new ThreadPoolExecutor.DiscardPolicy());
            executor.allowCoreThreadTimeOut(true);
        }

        @Override
        public void execute(Runnable task) {
            executor.execute(task);
        }

        @Override
        public void close() {
            executor.shutdown();
        }
    }
}
