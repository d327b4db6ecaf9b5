package io.holdfast.spi;

import java.security.SecureRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The platform that uses the clocks and threads of the JDK. */
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
        var executor = new ScheduledThreadPoolExecutor(1, daemons(threadName), new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return new SystemTimer(executor);
    }

    @Override
    public Worker worker(String threadName, int threads) {
        var executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(threadName));
        executor.allowCoreThreadTimeOut(true);
        return new SystemWorker(executor);
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            // it inherits no thread-local value of its creator, by which an application may choose a database
            Thread thread = new Thread(null, task, name, 0, false);
            thread.setDaemon(true);
            return thread;
        };
    }

    private record SystemTimer(ScheduledThreadPoolExecutor executor) implements Timer {

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

    private record SystemWorker(ThreadPoolExecutor executor) implements Worker {

        @Override
        public void execute(Runnable task) {
            try {
                executor.execute(task);
            } catch (Error e) {
                // the task may be in the queue before a thread is started for it
                executor.remove(task);
                throw e;
            }
        }

        @Override
        public void close() {
            executor.shutdown();
        }
    }
}
