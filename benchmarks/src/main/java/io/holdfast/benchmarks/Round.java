package io.holdfast.benchmarks;

import io.holdfast.benchmarks.work.Answer;
import java.util.List;

/**
 * What one subject did in one round.
 *
 * @param answers of its processes
 * @param cpuMicros of all its processes, as the operating system counts
 * @param server what the server counted meanwhile
 * @param lost how many of the locks that should be held the server does not know
 */
record Round(List<Answer> answers, long cpuMicros, ServerMeter.Reading server, long lost) {

    long operations() {
        return answers.stream().mapToLong(Answer::operations).sum();
    }

    double perSecond() {
        return answers.stream()
                .mapToDouble(answer -> answer.operations() * 1e9 / answer.nanos())
                .sum();
    }

    long violations() {
        return answers.stream().mapToLong(Answer::violations).sum();
    }

    /** What the least served of so many threads did, as a share of the mean of all. */
    double leastThread(int threads) {
        double mean = (double) operations() / threads;
        return answers.stream().mapToLong(Answer::least).min().orElse(0) / Math.max(1, mean);
    }

    /** The same of processes. */
    double leastProcess() {
        double mean = (double) operations() / answers.size();
        return answers.stream().mapToLong(Answer::operations).min().orElse(0) / Math.max(1, mean);
    }

    /** A figure that only some cases have, as the mean of the processes; 0 without it. */
    double extra(String name) {
        return answers.stream()
                .mapToDouble(answer -> answer.extra().getOrDefault(name, 0.0))
                .average()
                .orElse(0);
    }
}
