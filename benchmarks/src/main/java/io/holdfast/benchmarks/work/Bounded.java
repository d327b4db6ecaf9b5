package io.holdfast.benchmarks.work;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Work with a time limit, so that a subject that hangs does not hang its round. */
final class Bounded {

    private static final String OURS = "io.holdfast.benchmarks.work.";

    private Bounded() {}

    /** Runs the work on a thread of its own. The error at the time limit shows where the threads are. */
    static <T> T run(String name, Duration limit, Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "the " + name + " did not end within " + limit.toMillis() + " ms; threads at " + places(), e);
        }
    }

    /** Returns the innermost line of this package in each thread, with the number of threads at that line. */
    private static Map<String, Long> places() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(stack -> Arrays.stream(stack)
                        .filter(frame -> frame.getClassName().startsWith(OURS)
                                && !frame.getClassName().equals(Bounded.class.getName()))
                        .limit(1))
                .collect(Collectors.groupingBy(
                        frame -> frame.getFileName() + ":" + frame.getLineNumber(),
                        TreeMap::new,
                        Collectors.counting()));
    }

    /** Returns the error and its causes in one line. */
    static String describe(Throwable error) {
        StringBuilder text = new StringBuilder();
        for (Throwable e = error; e != null; e = e.getCause()) {
            text.append(text.isEmpty() ? "" : "; caused by ").append(e);
        }
        return text.toString().replaceAll("\\s+", " ");
    }
}
