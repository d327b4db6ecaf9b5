package io.holdfast.cli.exec;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A shell beside the command, which sends it signals. The guard ends the command before its lock ends, even if this JVM is
 * killed or stopped.
 *
 * <p>The guard has a session of its own if the platform has {@code setsid}. So a signal that stops or kills the process group
 * of the command does not affect it.
 */
final class Guard implements AutoCloseable {

    static final String MARK = "HOLDFAST_EXEC";

    private static final String START =
            "exec $(command -v setsid) bash -p -c 'eval \"$HOLDFAST_GUARD\"' holdfast-guard";

    private static final String END = " ;\n";
    private static final String READY = "ready";
    private static final long START_SECONDS = 30;

    private final Process shell;
    private final BufferedWriter orders;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    /** Set if an order could not be sent. */
    private volatile boolean broken;

    private Guard(Process shell) {
        this.shell = shell;
        this.orders = shell.outputWriter(StandardCharsets.US_ASCII);
    }

    /** Starts a guard, whose answers and whose end are reported as events. */
    static Guard start(Consumer<Event> events) throws IOException {
        return start(script(), events);
    }

    static Guard start(String script, Consumer<Event> events) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(List.of("bash", "-p", "-c", START)).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("HOLDFAST_GUARD", script);
        Guard guard = new Guard(builder.start());
        Run.startThread("guard", () -> guard.listen(events));
        return guard;
    }

    static String script() throws IOException {
        try (InputStream script = Guard.class.getResourceAsStream("guard.bash")) {
            if (script == null) {
                throw new IOException("guard.bash is missing in the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Waits until the guard takes orders.
     *
     * @throws IOException if it has ended at once, or does not start
     */
    void awaitReady() throws IOException, InterruptedException {
        try {
            ready.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            shell.destroyForcibly();
            throw new IOException(
                    "its guard does not start: "
                            + (e instanceof TimeoutException
                                    ? "bash has not answered within " + START_SECONDS + " s"
                                    : "bash has ended with exit code " + shell.waitFor()),
                    e);
        }
    }

    /** Returns {@code true} if the guard has ended before it took orders, so that another one would end as well. */
    boolean isUnusable() {
        return ready.isCompletedExceptionally();
    }

    boolean isAlive() {
        return !broken && shell.isAlive();
    }

    private void listen(Consumer<Event> events) {
        try (BufferedReader answers = shell.inputReader(StandardCharsets.US_ASCII)) {
            answers.lines().forEach(answer -> take(answer, events));
        } catch (IOException | UncheckedIOException e) {
            shell.destroyForcibly();
        }
        ready.completeExceptionally(new IOException("it has ended"));
        events.accept(new Event.GuardEnded(this));
    }

    private void take(String answer, Consumer<Event> events) {
        if (answer.equals(READY)) {
            ready.complete(null);
        } else {
            events.accept(new Event.Said(this, answer));
        }
    }

    /**
     * Makes the guard responsible for every process that has this mark in its environment, as {@link #MARK}. This lasts until
     * the process id of the command is known.
     */
    void expect(String mark) {
        order("expect " + mark);
    }

    void command(long pid) {
        order("command " + pid);
    }

    /**
     * Makes this guard the successor of another one. It gets all orders by one write, because this process may end between two, and
     * before it is ready, because its input remains when this process has ended.
     */
    void takeOver(String mark, long pid, Run.Times times, boolean warn, boolean kill) {
        order(times.order() + END + "expect " + mark + END + "command " + pid + (warn ? END + "warn" : "")
                + (kill ? END + "kill" : ""));
    }

    void valid(Run.Times times) {
        order(times.order());
    }

    void signal(String name) {
        order("signal " + name);
    }

    /** Sends TERM, unless it was sent since the lock was last known to be valid. */
    void warn() {
        order("warn");
    }

    void kill() {
        order("kill");
    }

    /**
     * Reports the end of the command. The guard ends when all processes that were signaled together with the command have also
     * ended.
     */
    void over() {
        order("over");
    }

    /**
     * Sends an order. A guard that has died takes no orders. Its end is an event, and the handler of that event starts its
     * successor.
     */
    private void order(String line) {
        try {
            orders.write(line + END);
            orders.flush();
        } catch (IOException e) {
            broken = true;
            shell.destroyForcibly();
        }
    }

    /** Lets the guard end. It first ends all processes that it still guards. */
    @Override
    public void close() {
        try {
            orders.close();
        } catch (IOException e) {
            shell.destroyForcibly();
        }
    }
}
