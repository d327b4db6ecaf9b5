package io.holdfast.benchmarks;

import io.holdfast.benchmarks.meter.ServerMeter;
import io.holdfast.benchmarks.work.Answer;
import java.util.List;

/**
 * The measurements of one subject in one round.
 *
 * @param answers the answers of its processes
 * @param cpuMicros the CPU time of its processes, as the operating system counts it
 * @param server the counters of the server during the round
 * @param lost the number of locks that should be held but are not at the server
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

    /** Returns the operations of the least served thread, as a share of the mean of all threads. */
    double leastThread(int threads) {
        double mean = (double) operations() / threads;
        return answers.stream().mapToLong(Answer::least).min().orElse(0) / Math.max(1, mean);
    }

    /** Returns the operations of the least served process, as a share of the mean of all processes. */
    double leastProcess() {
        double mean = (double) operations() / answers.size();
        return answers.stream().mapToLong(Answer::operations).min().orElse(0) / Math.max(1, mean);
    }

    /** Returns a figure that only some cases have, as the mean of the processes; 0 if there is none. */
    double extra(String name) {
        return answers.stream()
                .mapToDouble(answer -> answer.extra().getOrDefault(name, 0.0))
                .average()
                .orElse(0);
    }
}
