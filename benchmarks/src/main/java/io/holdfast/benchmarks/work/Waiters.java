package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Many waiters for one lock, in several processes. The first process holds the lock until all of them wait, waits a second, and
 * releases it. Then each waiter acquires it once. The rate is that of the handoffs, and the latencies are the times between
 * them.
 */
final class Waiters implements Workload {

    private static final int LINED_UP = 8;
    private static final int DONE = 9;
    private static final int ROUND = 10;
    private static final long IDLE = 1_000;

    private final Subject subject;
    private final Lock lock;
    private final Job job;
    private final Board board;
    private final Referee referee;
    private final AtomicLong before = new AtomicLong();
    private Ends ends = new Ends(0);
    private int round;

    Waiters(Job job, Subject subject, Board board, Referee referee) {
        this.job = job;
        this.board = board;
        this.referee = referee;
        this.subject = subject;
        lock = subject.lock(job.named("one"));
    }

    @Override
    public Answer round(long millis) throws InterruptedException {
        round++;
        boolean holder = job.process() == 0;
        if (holder) {
            lock.lock();
            board.add(ROUND, 1);
        }
        until(ROUND, round);
        int mine = job.size() / job.processes();
        int all = mine * job.processes();
        long heap = Crowd.heap();
        long begin = System.nanoTime();
        Histogram gaps = new ConcurrentHistogram(3);
        ends = new Ends(mine);
        for (int i = 0; i < mine; i++) {
            Crowd.start(() -> ends.run(() -> waitOnce(gaps)));
        }
        until(LINED_UP, round * all);
        Map<String, Double> extra = new LinkedHashMap<>();
        extra.put("lineUpMillis", (System.nanoTime() - begin) / 1e6);
        TimeUnit.MILLISECONDS.sleep(IDLE);
        extra.putAll(Crowd.heapEach(heap, mine));
        long start = System.nanoTime();
        before.set(start);
        if (holder) {
            lock.unlock();
        }
        ends.await();
        long nanos = System.nanoTime() - start;
        until(DONE, round * all);
        return Answer.of(mine, nanos, referee.takeViolations(), gaps, extra);
    }

    private void waitOnce(Histogram gaps) {
        board.add(LINED_UP, 1);
        Pair.run(lock, () -> {
            long now = System.nanoTime();
            gaps.recordValue(Math.max(0, now - before.getAndSet(now)));
            referee.alone();
        });
        board.add(DONE, 1);
    }

    private void until(int cell, int value) throws InterruptedException {
        while (board.get(cell) < value) {
            ends.rethrow();
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Override
    public void close() {
        subject.close();
    }
}
