package io.holdfast.benchmarks.work;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;

/** Threads that each repeat one operation until the time is up. */
final class Turns implements Workload {

    private final Runnable closing;
    private final List<Operation> operations = new ArrayList<>();
    private final Referee referee;

    /**
     * Creates the threads. The operation of each is created from the number of the thread.
     *
     * @param closing closes the subjects
     */
    Turns(Runnable closing, int threads, Referee referee, IntFunction<Operation> operation) {
        this.closing = closing;
        this.referee = referee;
        for (int thread = 0; thread < threads; thread++) {
            operations.add(operation.apply(thread));
        }
    }

    @Override
    public Answer round(long millis) throws InterruptedException {
        CountDownLatch begin = new CountDownLatch(operations.size());
        Ends ends = new Ends(operations.size());
        List<Turn> turns = new ArrayList<>();
        for (Operation operation : operations) {
            Turn turn = new Turn(operation, begin, ends, millis * 1_000_000);
            turns.add(turn);
            turn.start();
        }
        ends.await();
        Histogram latency = Answer.newHistogram();
        long least = Long.MAX_VALUE;
        long all = 0;
        long longest = 1;
        for (Turn turn : turns) {
            latency.add(turn.latency);
            least = Math.min(least, turn.count);
            all += turn.count;
            longest = Math.max(longest, turn.nanos);
        }
        return new Answer(all, longest, least, referee.takeViolations(), latency, Map.of());
    }

    @Override
    public void close() {
        closing.run();
    }
}
