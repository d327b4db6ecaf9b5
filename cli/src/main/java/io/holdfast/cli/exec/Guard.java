package io.holdfast.cli.exec;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * A shell beside the command, which signals it and, whatever happens to this JVM, ends it before its lock does.
 *
 * <p>It has a session of its own where the platform has {@code setsid}, so that what stops or kills the group of the
 * command spares it.
 */
final class Guard implements AutoCloseable {

    static final String MARK = "HOLDFAST_EXEC";

    private static final String START =
            "exec $(command -v setsid) bash -p -c 'eval \"$HOLDFAST_GUARD\"' holdfast-guard";

    private final Process shell;
    private final BufferedWriter orders;

    private Guard(Process shell) {
        this.shell = shell;
        this.orders = shell.outputWriter(StandardCharsets.US_ASCII);
    }

    /** A guard whose answers and whose end are told as events. */
    static Guard start(Consumer<Event> events) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(List.of("bash", "-p", "-c", START)).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("HOLDFAST_GUARD", script());
        Guard guard = new Guard(builder.start());
        Run.startThread("guard", () -> guard.listen(events));
        return guard;
    }

    private static String script() throws IOException {
        try (InputStream script = Guard.class.getResourceAsStream("guard.bash")) {
            if (script == null) {
                throw new IOException("guard.bash is missing in the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void listen(Consumer<Event> events) {
        try (BufferedReader answers = shell.inputReader(StandardCharsets.US_ASCII)) {
            answers.lines().forEach(answer -> events.accept(new Event.Said(this, answer)));
        } catch (IOException | UncheckedIOException e) {
            shell.destroyForcibly();
        }
        events.accept(new Event.GuardEnded(this));
    }

    /** What will have this in its environment, as {@link #MARK}, is to be guarded until it is named. */
    void expect(String mark) {
        order("expect " + mark);
    }

    void command(long pid) {
        order("command " + pid);
    }

    /** Until when the command may run, when it is to be asked to end, and until when the lock is valid, by the {@link Clock}. */
    void valid(long end, long warn, long until) {
        order("valid " + end + " " + warn + " " + until);
    }

    void signal(String name) {
        order("signal " + name);
    }

    /** Sends TERM, unless that was done since the lock was last known to be valid. */
    void warn() {
        order("warn");
    }

    void kill() {
        order("kill");
    }

    /** The command has ended; the guard leaves when what was signalled with it has, too. */
    void over() {
        order("over");
    }

    /** A guard that is gone takes no orders; its end is an event, which its successor answers. */
    private void order(String line) {
        try {
            orders.write(line + "\n");
            orders.flush();
        } catch (IOException e) {
            shell.destroyForcibly();
        }
    }

    /** Lets it go; it ends what it still guards. */
    @Override
    public void close() {
        try {
            orders.close();
        } catch (IOException e) {
            shell.destroyForcibly();
        }
    }
}
