package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A thread has one permit to go on after parking, and whatever it waits for uses it up: a mutex, a driver's own lock, a
 * log. A waiter that was told must not park, also when the permit of having been told is gone.
 */
@Tag("everywhere")
class PermitTest {

    /** Time stands still, so that nobody is in a hurry. Between the last look at the clock and the parking of a waiter, it is told and loses its permit. */
    private static final class Greedy implements Platform {

        private final Platform system = Platform.system();
        private final long nanos = system.nanoTime();
        private final long millis = system.wallMillis();
        private final AtomicInteger looks = new AtomicInteger();
        private final AtomicBoolean parkedThoughTold = new AtomicBoolean();
        private volatile Runnable tell = () -> {};
        private volatile boolean told;

        @Override
        public long nanoTime() {
            if (Thread.currentThread().getName().equals("waiter") && looks.decrementAndGet() == 0) {
                FutureTask<Void> telling = new FutureTask<>(tell, null);
                new Thread(telling, "teller").start();
                while (!telling.isDone()) {
                    Thread.onSpinWait();
                }
                LockSupport.parkNanos(this, 1);
                told = true;
            }
            return nanos;
        }

        @Override
        public void park(Object blocker, long nanos) {
            if (told) {
                parkedThoughTold.set(true);
            } else if (Thread.currentThread().getName().equals("waiter")) {
                // it looks at the clock under the mutex, to take the lock; then for the time that is left
                looks.set(2);
            } else {
                system.park(blocker, nanos);
            }
        }

        @Override
        public void unpark(Thread thread) {
            system.unpark(thread);
        }

        @Override
        public long wallMillis() {
            return millis;
        }

        @Override
        public long randomLong() {
            return system.randomLong();
        }

        @Override
        public Timer timer(String threadName) {
            return system.timer(threadName);
        }

        @Override
        public Worker worker(String threadName, int threads) {
            return system.worker(threadName, threads);
        }
    }

    @Test
    void aWaiterThatWasToldDoesNotPark() throws Exception {
        Greedy platform = new Greedy();
        try (Holdfast client =
                Holdfast.builder().uri("memory:").platform(platform).build()) {
            DistributedLock lock = client.lock("n");
            Lease lease = lock.acquire();
            platform.tell = lease::close;
            FutureTask<Boolean> waiter = new FutureTask<>(() -> {
                boolean got = lock.tryLock(Duration.ofMinutes(1));
                lock.unlock();
                return got;
            });
            new Thread(waiter, "waiter").start();
            assertThat(waiter.get()).isTrue();
            assertThat(platform.parkedThoughTold).isFalse();
        }
    }
}
