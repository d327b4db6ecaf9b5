package io.holdfast.embedded.redis;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A shell between this JVM and the server. It outlives the JVM just long enough to clean up after it.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Only this JVM holds the pipe of orders open. When the pipe ends, because it was closed or because the JVM has died, the
 *       shell kills the server, removes the home folder and ends.
 *   <li>After the answer to {@code KILL}, no process and no port of the server is left. The shell is the server's parent, so it
 *       also reaps it.
 * </ol>
 *
 * <p>The shell reads orders from the pipe, one a line, and answers each with one line. It ignores the signals of a terminal.
 * The server has a session of its own if the platform has {@code setsid}. So after Ctrl-C the server still serves the shutdown
 * hooks of the JVM.
 */
final class Guard implements AutoCloseable {

    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /**
     * The script of the shell. The first argument is the home folder. The others are the server's command line without the
     * port. {@code jobs} makes the shell notice a child that has ended. The server's process group contains its forked writers.
     * PIPE is ignored because the JVM may die between an order and its answer.
     */
    private static final String SCRIPT = """
            trap '' HUP INT PIPE QUIT TERM
            home=$1; shift
            pid=
            alive() {
                jobs >/dev/null
                [ "$pid" ] && kill -0 "$pid" 2>/dev/null || { pid=; false; }
            }
            end() {
                alive || return
                kill -9 "-$pid" "$pid" 2>/dev/null
                wait "$pid" 2>/dev/null
                pid=
            }
            while read -r order port; do
                case $order in
                    START) $(command -v setsid) "$@" --port "$port" </dev/null >&2 & pid=$!; echo "$pid" ;;
                    ALIVE) alive && echo yes || echo no ;;
                    KILL) end; echo done ;;
                    *) alive && kill "-$order" "$pid"; echo done ;;
                esac
            done
            end
            rm -rf -- "$home"
            """;

    private final ReentrantLock dialogue = new ReentrantLock();
    private final Process shell;
    private final BufferedWriter orders;
    private final BufferedReader answers;

    private Guard(Process shell) {
        this.shell = shell;
        this.orders = shell.outputWriter();
        this.answers = shell.inputReader();
    }

    /** Starts a guard, which will remove the home folder. The output of the shell and of the server is appended to the log. */
    static Guard over(Path home, Path log, List<String> command) throws IOException {
        List<String> line = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sh", home.toString()));
        line.addAll(command);
        return new Guard(new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start());
    }

    /** Starts the server, and returns its process id before it is known whether the start succeeds. */
    long start(int port) {
        return Long.parseLong(order("START " + port));
    }

    boolean serverIsAlive() {
        return order("ALIVE").equals("yes");
    }

    /** Sends a signal to the server, if there is one. */
    void signal(String name) {
        order(name);
    }

    /** Kills the server, if there is one, and returns when it is gone. */
    void kill() {
        order("KILL");
    }

    private String order(String order) {
        dialogue.lock();
        try {
            orders.write(order + "\n");
            orders.flush();
            return answer();
        } catch (IOException e) {
            throw new UncheckedIOException("the guard process of the Redis server has ended; was it killed?", e);
        } finally {
            dialogue.unlock();
        }
    }

    private String answer() throws IOException {
        String answer = answers.readLine();
        if (answer == null) {
            throw new EOFException("no answer");
        }
        return answer;
    }

    /** Ends the shell, which kills the server and removes the home folder. Returns when both are gone. */
    @Override
    public void close() {
        try (answers) {
            orders.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot end the guard process", e);
        }
        if (!Poll.until(END_LIMIT, () -> !shell.isAlive())) {
            throw new IllegalStateException("process " + shell.pid() + " has not removed its Redis server within "
                    + END_LIMIT.toSeconds() + " s");
        }
    }
}
