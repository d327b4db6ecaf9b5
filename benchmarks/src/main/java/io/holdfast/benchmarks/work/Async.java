package io.holdfast.benchmarks.work;

import io.holdfast.benchmarks.subject.Subject;
import io.holdfast.benchmarks.subject.Subject.AsyncPair;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Keeps a fixed number of asynchronous pairs under way, one for each lock: when one ends, the next begins. */
final class Async implements Workload {

    private final Subject subject;
    private final AsyncPair[] pairs;

    Async(Job job) {
        subject = job.open();
        pairs = new AsyncPair[job.size()];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = subject.async(job.named("async-" + i));
        }
    }

    @Override
    public Answer round(long millis) throws Exception {
        Round round = new Round(System.nanoTime(), millis * 1_000_000);
        for (AsyncPair pair : pairs) {
            round.attempt(pair);
        }
        return round.end();
    }

    private final class Round {

        private final long start;
        private final long duration;
        private final Histogram latency = new ConcurrentHistogram(3);
        private final AtomicLong count = new AtomicLong();
        private final Ends ends = new Ends(pairs.length);

        Round(long start, long duration) {
            this.start = start;
            this.duration = duration;
        }

        /** Begins a pair. An exception fails the round, because a stage would swallow it. */
        private void attempt(AsyncPair pair) {
            try {
                again(pair);
            } catch (RuntimeException | Error e) {
                ends.failed(e);
            }
        }

        private void again(AsyncPair pair) {
            long begin = System.nanoTime();
            if (begin - start > duration || ends.hasFailed()) {
                ends.one();
                return;
            }
            var unused = pair.run().whenComplete((done, e) -> {
                if (e != null) {
                    ends.failed(e);
                    return;
                }
                latency.recordValue(System.nanoTime() - begin);
                count.incrementAndGet();
                attempt(pair);
            });
        }

        Answer end() throws InterruptedException {
            ends.await();
            return Answer.of(count.get(), System.nanoTime() - start, 0, latency, Map.of());
        }
    }

    @Override
    public void close() {
        subject.close();
    }
}
