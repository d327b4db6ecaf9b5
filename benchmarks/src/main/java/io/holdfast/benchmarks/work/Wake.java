package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.HdrHistogram.Histogram;

/**
 * The time from a release until a waiter of another client runs: from the call of {@code unlock} to the return of {@code lock}.
 * Both clients are in one process, so that both times are of one clock.
 */
final class Wake implements Workload {

    // long enough for the waiter to be in the queue
    private static final long UNTIL_IT_WAITS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long NEVER = TimeUnit.SECONDS.toNanos(10);

    private final Subject releasing;
    private final Subject waiting;
    private final Lock lock;
    private final Lock foreign;
    private final Referee referee;
    private final BlockingQueue<CompletableFuture<Long>> begin = new ArrayBlockingQueue<>(1);

    Wake(Job job, Referee referee, BiFunction<Subject, String, Lock> kind) {
        this.referee = referee;
        releasing = job.open();
        waiting = job.open();
        lock = kind.apply(releasing, job.named("one"));
        foreign = kind.apply(waiting, job.named("one"));
        Thread waiter = new Thread(this::waitAgainAndAgain, "waiter");
        waiter.setDaemon(true);
        waiter.start();
    }

    private void waitAgainAndAgain() {
        try {
            while (true) {
                waitOnce(begin.take());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted, although nobody interrupts", e);
        }
    }

    private void waitOnce(CompletableFuture<Long> got) {
        try {
            long[] now = {0};
            Pair.run(foreign, () -> {
                now[0] = System.nanoTime();
                referee.alone();
            });
            got.complete(now[0]);
        } catch (RuntimeException | Error e) {
            got.completeExceptionally(e);
        }
    }

    @Override
    public Answer round(long millis) throws Exception {
        Histogram latency = Answer.newHistogram();
        long start = System.nanoTime();
        long woken = 0;
        while (System.nanoTime() - start < millis * 1_000_000) {
            latency.recordValue(once());
            woken++;
        }
        return Answer.of(woken, System.nanoTime() - start, referee.takeViolations(), latency, Map.of());
    }

    private long once() throws Exception {
        long[] released = {0};
        CompletableFuture<Long> got = new CompletableFuture<>();
        Pair.run(lock, () -> {
            begin.add(got);
            LockSupport.parkNanos(UNTIL_IT_WAITS);
            referee.alone();
            released[0] = System.nanoTime();
        });
        return got.get(NEVER, TimeUnit.NANOSECONDS) - released[0];
    }

    @Override
    public void close() {
        releasing.close();
        waiting.close();
    }
}
