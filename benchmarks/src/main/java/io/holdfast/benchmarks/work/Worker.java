package io.holdfast.benchmarks.work;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A worker process: does a round for each number of milliseconds on its standard input, and answers with a line. */
public final class Worker {

    /** What it says when it can begin. */
    public static final String READY = "ready";

    /** What its last line begins with when it has failed. */
    public static final String FAILED = "failed: ";

    private Worker() {}

    /** Runs the job of the arguments until its input ends. */
    public static void main(String[] arguments) {
        // what libraries print is no answer
        PrintStream answers = System.out;
        System.setOut(System.err);
        try {
            answer(Job.of(arguments), answers);
        } catch (Exception | Error e) {
            e.printStackTrace();
            answers.println(FAILED + Bounded.describe(e));
            // a subject that has failed may hang in its shutdown hooks, too
            Runtime.getRuntime().halt(1);
        }
        // a subject may have left threads behind that keep the process
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
                throw new IOException("nobody listens any longer");
            }
        }
        workload.close();
    }
}
