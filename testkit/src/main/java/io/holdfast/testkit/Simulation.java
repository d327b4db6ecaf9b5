package io.holdfast.testkit;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A platform in virtual time that is driven by a seed. The same seed gives the same run, and the same {@link #log}.
 *
 * <p>Threads ({@link #start}) are real ones, so that code that blocks runs unchanged. However, only one thread runs at a time.
 * It runs until it parks or ends. Then the seed chooses among all that could run: threads, tasks of timers, and tasks of
 * workers. Time passes only when nothing could run. Code under test must block in {@link Platform#park} only. A thread that
 * blocks elsewhere is reported after 10 s of real time.
 *
 * <p>Nothing runs by itself. The test's own thread runs the simulation by {@link #runFor}, {@link #await} and similar methods.
 * It may also call code that blocks; while it is parked, the others run. Tasks of timers and workers run on their own threads.
 * Tasks of workers may park.
 *
 * <p>{@link #nanoTime} starts at any value, and overflows soon in some runs.
 */
public final class Simulation implements Platform, AutoCloseable {

    private static final Duration LONG = Duration.ofHours(1);
    private static final long WALL_START_MILLIS = 1_735_689_600_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long OVERFLOWS_WITHIN = 60_000_000_000L;

    private final Scheduler scheduler;
    private final long nanoStart;
    private final List<SimThread> threads = new ArrayList<>();
    private final List<SimTimer> timers = new ArrayList<>();
    private final List<SimWorker> workers = new ArrayList<>();
    private final Map<String, SimulatedServer> servers = new HashMap<>();
    private long wallAhead;
    private long suspended;
    private boolean closed;

    private Simulation(long seed) {
        scheduler = new Scheduler(seed);
        nanoStart = nanoStart();
    }

    /** Returns a simulation at the start of its time. */
    public static Simulation of(long seed) {
        return new Simulation(seed);
    }

    private long nanoStart() {
        return switch (scheduler.random.nextInt(3)) {
            case 0 -> Long.MAX_VALUE - scheduler.random.nextLong(OVERFLOWS_WITHIN);
            case 1 -> -scheduler.random.nextLong(OVERFLOWS_WITHIN);
            default -> scheduler.random.nextLong();
        };
    }

    // the platform

    @Override
    public long nanoTime() {
        return nanoStart + scheduler.agenda.now();
    }

    @Override
    public long wallMillis() {
        return WALL_START_MILLIS + Math.floorDiv(scheduler.agenda.now() + wallAhead, NANOS_PER_MILLI);
    }

    @Override
    public long randomLong() {
        scheduler.current();
        return scheduler.random.nextLong();
    }

    @Override
    public void park(Object blocker, long nanos) {
        scheduler.park(nanos);
    }

    /** Returns the stack of a thread without the calls by which it waits for its turn here. */
    @Override
    public StackTraceElement[] stack(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .dropWhile(call -> call.getClassName().matches("(java|jdk)\\..*|io\\.holdfast\\.testkit\\.[A-Z].*"))
                .toArray(StackTraceElement[]::new);
    }

    @Override
    public void unpark(Thread thread) {
        scheduler.unpark(thread);
    }

    @Override
    public Timer timer(String threadName) {
        SimTimer timer = new SimTimer(scheduler, threadName);
        timers.add(timer);
        return timer;
    }

    @Override
    public Worker worker(String threadName, int threads) {
        SimWorker worker = new SimWorker(scheduler, threadName, threads);
        workers.add(worker);
        return worker;
    }

    // time

    /** Returns the time that has passed since the start. */
    public Duration elapsed() {
        return Duration.ofNanos(scheduler.agenda.now());
    }

    /** Sets the wall clock forward or back. */
    public void stepWallClock(Duration by) {
        log("wall clock steps by " + by);
        wallAhead += by.toNanos();
    }

    /** Suspends the machine with all threads and timers. The wall clock and the servers continue, and nanoTime does not. */
    public void suspend(Duration length) {
        log("suspended for " + length);
        wallAhead += length.toNanos();
        suspended += length.toNanos();
    }

    /** Stops all threads and timers, while nanoTime continues: a long garbage collection, or a machine without processors. */
    public void stall(Duration length) {
        log("stalled for " + length);
        scheduler.agenda.skip(length.toNanos());
    }

    /** Returns the time that other machines see, in nanoseconds since the start. */
    public long outsideNanos() {
        return scheduler.agenda.now() + suspended;
    }

    static long wallStartMillis() {
        return WALL_START_MILLIS;
    }

    /** Sets the real time that a thread may take before it is reported as stuck. The default is 10 s. */
    public void patience(Duration realTime) {
        scheduler.patience(realTime.toNanos());
    }

    /** Lets a park return spuriously with the given probability. */
    public void spuriousWakeups(double probability) {
        scheduler.spuriousWakeups(probability);
    }

    // threads

    /** Starts a thread. It runs when the simulation does. */
    public SimThread start(String name, SimThread.Body body) {
        SimThread thread = scheduler.start(name, body);
        threads.add(thread);
        return thread;
    }

    /** Returns {@code true} if the thread belongs to any simulation. */
    public static boolean owns(Thread thread) {
        return Participant.GROUP.equals(thread.getThreadGroup());
    }

    /** Unwinds the thread where it is parked, by an {@link Error}, as if it had died there. */
    public void kill(SimThread thread) {
        scheduler.kill(thread);
    }

    /** Parks the calling thread for the given time, or until it is interrupted. */
    public void sleep(Duration time) {
        long end = until(time);
        while (scheduler.agenda.now() < end && !Thread.currentThread().isInterrupted()) {
            scheduler.park(end - scheduler.agenda.now());
        }
    }

    /** Lets others run before the calling thread, if the seed chooses them. */
    public void letOthersRun() {
        scheduler.unpark(Thread.currentThread());
        scheduler.park(Long.MAX_VALUE);
    }

    // running

    /** Runs until nothing is left that could run now or later, but at most for an hour. */
    public void run() {
        scheduler.run(() -> false, until(LONG));
    }

    /** Runs everything that can run without time passing. */
    public void runReady() {
        scheduler.run(() -> false, scheduler.agenda.now());
    }

    /** Runs for the given time. */
    public void runFor(Duration time) {
        passUntil(() -> false, time);
    }

    /**
     * Runs until the condition holds. Fails if that takes longer than the given time. Many threads evaluate the condition, in
     * turn.
     */
    public void runUntil(BooleanSupplier condition, Duration atMost) {
        Scheduler.Outcome outcome = scheduler.run(condition, until(atMost));
        if (outcome != Scheduler.Outcome.REACHED) {
            throw scheduler.failed("the condition was not reached in " + atMost + " (" + outcome + ")");
        }
    }

    /** Runs until the condition holds or the given time has passed, whichever is first. */
    public void passUntil(BooleanSupplier condition, Duration atMost) {
        long end = until(atMost);
        if (scheduler.run(condition, end) != Scheduler.Outcome.REACHED) {
            scheduler.agenda.advance(end);
        }
    }

    /** Runs until all started threads have ended. Fails if one has failed, or if that takes longer than an hour. */
    public void runThreads() {
        runUntil(() -> threads.stream().allMatch(SimThread::done), LONG);
        threads.forEach(SimThread::join);
    }

    /** Runs until the stage is complete. Returns its value, or throws its failure. */
    public <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        scheduler.waitUntil(future::isDone, "a stage to complete");
        return value(future);
    }

    private static <T> T value(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw rethrow(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            throw rethrow(e);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> RuntimeException rethrow(Throwable e) throws E {
        throw (E) e;
    }

    private long until(Duration time) {
        return Agenda.plus(scheduler.agenda.now(), time.toNanos());
    }

    // the log

    /** Adds an entry to the log, with the time and the name of the thread. */
    public void log(String what) {
        scheduler.log(what);
    }

    /** Returns the log: all entries, and the order in which threads ran. */
    public List<String> log() {
        return scheduler.diagnosis.log();
    }

    // servers

    /** Returns the in-memory server of the given name, which clients reach by {@code simulated:NAME}. */
    public SimulatedServer server(String name) {
        return servers.computeIfAbsent(name, absent -> new SimulatedServer(this, name));
    }

    /** Returns the names that are held or awaited at any of the servers. */
    public List<LockReport> inUse() {
        return servers.values().stream()
                .flatMap(server -> server.inUse().stream())
                .toList();
    }

    // the end

    /** Returns the timers that were not closed, and the threads and tasks that have not ended. */
    public List<String> leftovers() {
        List<String> left = new ArrayList<>();
        threads.stream().filter(thread -> !thread.done()).forEach(thread -> left.add("thread " + thread.name()));
        timers.stream()
                .filter(SimTimer::isRunning)
                .forEach(timer -> left.add("timer " + timer.name() + " with " + timer.taskCount() + " tasks"));
        workers.stream()
                .filter(worker -> worker.taskCount() > 0)
                .forEach(worker -> left.add("worker " + worker.name() + " with " + worker.taskCount() + " tasks"));
        return left;
    }

    /**
     * Ends everything. Threads that have not ended are unwound.
     *
     * @throws AssertionError if there were such threads, or if a thread failed and its failure was not checked
     */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            List<String> left = scheduler.unwind();
            servers.values().forEach(SimulatedServer::close);
            if (!left.isEmpty()) {
                throw scheduler.failed("not ended at the end: " + left);
            }
            threads.forEach(thread -> thread.unseenFailure().ifPresent(e -> {
                throw scheduler.diagnosis.failed("thread " + quoted(thread.name()) + " failed: " + e, e);
            }));
        }
    }
}
