package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Job;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** The worker processes of one sale. */
final class Crew implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofMinutes(5);

    private final List<WorkerProcess> workers = new ArrayList<>();

    private Crew() {}

    static Crew start(int size, IntFunction<Job> jobs) throws IOException {
        Crew crew = new Crew();
        try {
            for (int i = 0; i < size; i++) {
                crew.workers.add(WorkerProcess.start("worker " + i, jobs.apply(i)));
            }
            return crew;
        } catch (IOException | RuntimeException e) {
            crew.close();
            throw e;
        }
    }

    /** Waits until every worker is ready for the start. */
    void awaitReady() throws IOException, InterruptedException {
        try {
            all(workers.stream().map(WorkerProcess::ready).toList()).get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the workers were not ready within " + START_LIMIT.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException("a worker did not start: " + (cause == null ? e : cause.getMessage()), e);
        }
    }

    void go() throws IOException {
        for (WorkerProcess worker : workers) {
            worker.go();
        }
    }

    /** Waits for at most the given time. Returns {@code true} if all workers have ended. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        try {
            all(workers.stream().map(WorkerProcess::end).toList()).get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
    }

    /** Returns the number of workers that died by accident, as their exit codes prove. */
    int halted() {
        return (int) workers.stream().filter(WorkerProcess::halted).count();
    }

    /** Returns the failures, with one text for each worker that ended by itself, but neither normally nor by accident. */
    List<String> failures() {
        return workers.stream().flatMap(worker -> worker.failure().stream()).toList();
    }

    @Override
    public void close() {
        end();
    }

    /** Kills the workers that still run, and returns when they are gone. */
    void end() {
        workers.forEach(WorkerProcess::kill);
        workers.forEach(worker -> worker.end().join());
    }
}
