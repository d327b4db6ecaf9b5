package io.holdfast.benchmarks.work;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A worker process: does a round for each number of milliseconds on its standard input, and answers with a line. */
public final class Worker {

    /** What it says when it can begin. */
    public static final String READY = "ready";

    private Worker() {}

    /** Runs the job of the arguments until its input ends. */
    public static void main(String[] arguments) throws Exception {
        // what libraries print is no answer
        PrintStream answers = System.out;
        System.setOut(System.err);
        try (Workload workload = Workloads.of(Job.of(arguments))) {
            answers.println(READY);
            answer(workload, answers);
        }
        // a subject may have left threads behind that keep the process
        System.exit(0);
    }

    private static void answer(Workload workload, PrintStream answers) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            answers.println(workload.round(Long.parseLong(line)).toLine());
            if (answers.checkError()) {
                throw new IOException("nobody listens any more");
            }
        }
    }
}
