package io.holdfast.benchmarks.work;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A worker process. For each number of milliseconds on its standard input, it runs a round of that length and prints one line.
 */
public final class Worker {

    /** The line that it prints when it is ready. */
    public static final String READY = "ready";

    /** The prefix of its last line if it has failed. */
    public static final String FAILED = "failed: ";

    private Worker() {}

    /** Runs the job of the arguments until its input ends. */
    public static void main(String[] arguments) {
        // output of libraries must not mix with the answers
        PrintStream answers = System.out;
        System.setOut(System.err);
        try {
            answer(Job.of(arguments), answers);
        } catch (Exception | Error e) {
            e.printStackTrace();
            answers.println(FAILED + Bounded.describe(e));
            // a failed subject may hang in its shutdown hooks, too
            Runtime.getRuntime().halt(1);
        }
        // threads that the subject left behind could keep the process alive
        System.exit(0);
    }

    private static void answer(Job job, PrintStream answers) throws Exception {
        Workload workload = Bounded.run("start", job.limit(), () -> Workloads.of(job));
        answers.println(READY);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long millis = Long.parseLong(line);
            Duration limit = job.limit().plusMillis(millis);
            answers.println(
                    Bounded.run("round", limit, () -> workload.round(millis)).toLine());
            if (answers.checkError()) {
                throw new IOException("the standard output is closed");
            }
        }
        workload.close();
    }
}
