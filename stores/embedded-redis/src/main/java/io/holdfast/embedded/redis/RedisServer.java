package io.holdfast.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Redis 7.0 server, which runs as a separate process on a port of 127.0.0.1, and ends with this JVM.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
 *     connectTo(server.uri());
 * }
 * }</pre>
 *
 * <p>The executable is a resource. It is unpacked into a private temporary folder, the home of the server. Neither an installed
 * Redis nor any privilege is needed. Without arguments the server persists nothing:
 * {@code --bind 127.0.0.1 --save '' --appendonly no}.
 *
 * <p>If the system property {@code io.holdfast.embedded.redis.executable} names the server of another Redis, or of Valkey, that
 * one is started instead.
 *
 * <p>The JVM may end without {@link #close()}, by {@code System.exit} or by {@code kill -9}. Then the server process and its
 * home are gone within a second.
 *
 * <p>This class is safe for use by any thread. The methods that change the state of the process run one after the other. They
 * return when the change is complete. An interrupt does not end them early, and the interrupt status is preserved.
 */
public final class RedisServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RedisServer.class);

    private static final Duration READY_LIMIT = Duration.ofSeconds(10);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final Duration RETRY_LIMIT = Duration.ofSeconds(2);

    private final ReentrantLock lifecycle = new ReentrantLock();
    private final Path home;
    private final Path dir;
    private final ServerLog log;
    private final Guard guard;
    private volatile int port;
    private volatile long pid;
    private volatile boolean closed;

    private RedisServer(Path home, Path dir, ServerLog log, Guard guard) {
        this.home = home;
        this.dir = dir;
        this.log = log;
        this.guard = guard;
    }

    /**
     * Starts a server on a free port, and returns when it answers.
     *
     * @param args additional arguments of redis-server, in the form of its command line: {@code "--appendonly", "yes"}
     * @throws IllegalArgumentException if an argument is one that this class has to set itself
     * @throws IllegalStateException if the server ends, or does not answer within 10 s; the text contains the end of its log
     * @throws UnsupportedOperationException if there is no executable for this platform
     * @throws UncheckedIOException if the files cannot be written, or there is no {@code sh}
     */
    public static RedisServer start(String... args) {
        return builder().args(args).start();
    }

    /** Returns a builder, which sets the options of a server before its start. */
    public static Builder builder() {
        return new Builder();
    }

    private static RedisServer open(Builder wish) {
        RedisServer server = prepare(wish);
        try {
            RedisBinary.provide(executable(server.home));
            server.boot(() -> wish.port == 0 ? Loopback.freePort() : wish.port);
            return server;
        } catch (RuntimeException e) {
            try (server.guard) {
                throw e;
            }
        }
    }

    /**
     * Prepares a server. The guard starts before the executable is unpacked, so a JVM that is killed during the unpacking
     * leaves nothing behind either.
     */
    private static RedisServer prepare(Builder wish) {
        try {
            Path kept = wish.dir == null ? null : existing(wish.dir.toAbsolutePath());
            Path home = Files.createTempDirectory("holdfast-redis-").toAbsolutePath();
            Path dir = kept == null ? home : kept;
            ServerLog log = new ServerLog(dir.resolve("redis.log"));
            return new RedisServer(home, dir, log, guard(home, log, command(home, dir, wish)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare a Redis server", e);
        }
    }

    private static Path existing(Path dir) throws IOException {
        return Files.isDirectory(dir) ? dir : Files.createDirectories(dir);
    }

    private static Guard guard(Path home, ServerLog log, List<String> command) throws IOException {
        try {
            return Guard.over(home, log.file(), command);
        } catch (IOException e) {
            Files.deleteIfExists(home.resolve(log.file().getFileName()));
            Files.delete(home);
            throw e;
        }
    }

    private static Path executable(Path home) {
        return home.resolve("redis-server");
    }

    private static List<String> command(Path home, Path dir, Builder wish) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(executable(home).toString());
        if (!wish.config.isEmpty()) {
            command.add(Files.write(home.resolve("redis.conf"), wish.config).toString());
        }
        command.addAll(List.of("--bind", Loopback.HOST, "--save", "", "--appendonly", "no"));
        command.addAll(wish.args);
        command.addAll(List.of("--daemonize", "no", "--logfile", "", "--dir", dir.toString()));
        return command;
    }

    /**
     * Starts the process on a port from the given source. If a port is in use, the start is tried again for a moment, on that
     * port or on another one. Two races make this necessary. Another process may bind a free port first. An outgoing connection
     * may use the port of a server that was down.
     */
    private void boot(IntSupplier ports) {
        long end = System.nanoTime() + RETRY_LIMIT.toNanos();
        while (!launch(ports.getAsInt())) {
            if (!log.saysPassingFault() || System.nanoTime() - end > 0) {
                guard.kill();
                throw notReady("did not start");
            }
        }
        awaitReady();
        LOG.debug("Redis process {} listens on port {} and keeps its data in {}", pid, port, dir);
    }

    /** Starts the process once. It checks the log, not the port, because at a port in use another server would answer. */
    private boolean launch(int candidate) {
        log.mark();
        port = candidate;
        pid = guard.start(candidate);
        return Poll.until(READY_LIMIT, () -> log.saysInitialized() || !guard.serverIsAlive()) && guard.serverIsAlive();
    }

    /** Returns the port on 127.0.0.1, which stays the same across restarts. */
    public int port() {
        return port;
    }

    /** Returns the address for clients: {@code redis://127.0.0.1:PORT}, without a password. */
    public String uri() {
        return "redis://" + Loopback.HOST + ":" + port;
    }

    /**
     * Returns the process id of the Redis server, which changes with a restart. If the server does not run, it is the last one.
     */
    public long pid() {
        return pid;
    }

    /** Returns the folder of the server's data and of its log, {@code redis.log}. */
    public Path dir() {
        return dir;
    }

    /** Returns the private folder of the executable. It also contains the data, unless the caller gave a folder for them. */
    Path home() {
        return home;
    }

    /**
     * Waits until the server answers a PING. Two errors count as answers: that the server requires a password, and that it is
     * still loading its data. After a start, a server with an append-only file may refuse commands with {@code LOADING} for a
     * while.
     *
     * @throws IllegalStateException if the server is closed, does not run, or does not answer within 10 s (it may be paused);
     *     the text contains the end of its log
     */
    public void awaitReady() {
        requireOpen();
        if (!Poll.until(READY_LIMIT, () -> Loopback.answersPing(port) || !guard.serverIsAlive())
                || !guard.serverIsAlive()) {
            throw notReady("does not answer");
        }
    }

    /**
     * Pauses the process (SIGSTOP) without ending it. Connections stay open, and no request is answered.
     *
     * @throws IllegalStateException if the server is closed or does not run
     */
    public void pause() {
        locked(() -> signalRunning("STOP"));
    }

    /**
     * Resumes a paused process (SIGCONT). Has no effect on a process that runs.
     *
     * @throws IllegalStateException if the server is closed or does not run
     */
    public void resume() {
        locked(() -> signalRunning("CONT"));
    }

    /**
     * Kills the process (SIGKILL), and returns when it is gone. The folder stays. Has no effect if the process does not run.
     *
     * @throws IllegalStateException if the server is closed
     */
    public void kill() {
        locked(guard::kill);
    }

    /**
     * Starts the process again on the same port, with the same folder and arguments, and returns when it answers. If the
     * process still runs, it is first shut down in an orderly way.
     *
     * @throws IllegalStateException if the server is closed, or if the new process ends or does not answer; the text contains
     *     the end of its log, and another restart may be tried
     */
    public void restart() {
        locked(() -> {
            shutDown();
            boot(() -> port);
        });
    }

    /** Closes the server like {@link #close()}. */
    public void stop() {
        close();
    }

    /**
     * Shuts the server down in an orderly way, even if it is paused. Returns when the process, its port and its home are gone.
     * A folder that the caller gave stays. A process that has not ended after 10 s is killed. A second call has no effect.
     *
     * @throws IllegalStateException if the home could not be removed
     */
    @Override
    public void close() {
        lifecycle.lock();
        try {
            if (!closed) {
                closed = true;
                end();
            }
        } finally {
            lifecycle.unlock();
        }
    }

    private void end() {
        try (guard) {
            shutDown();
        }
        LOG.debug("Redis process {} on port {} has ended", pid, port);
    }

    private void shutDown() {
        guard.signal("TERM");
        guard.signal("CONT");
        if (!Poll.until(STOP_LIMIT, () -> !guard.serverIsAlive())) {
            LOG.warn("Redis process {} did not end within {} s and is killed", pid, STOP_LIMIT.toSeconds());
        }
        guard.kill();
    }

    private void signalRunning(String signal) {
        if (!guard.serverIsAlive()) {
            throw notReady("is not running");
        }
        guard.signal(signal);
    }

    private void locked(Runnable change) {
        lifecycle.lock();
        try {
            requireOpen();
            change.run();
        } finally {
            lifecycle.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed; start another one");
        }
    }

    private IllegalStateException notReady(String what) {
        return new IllegalStateException(this + " " + what + "; its log ends with:\n" + log.tail());
    }

    @Override
    public String toString() {
        return "Redis on port " + port;
    }

    /** A builder that sets the port and the folder of a server that must keep them beyond its own life. */
    public static final class Builder {

        private static final List<String> RESERVED = List.of("port", "dir", "logfile", "daemonize");

        private final List<String> args = new ArrayList<>();
        private final List<String> config = new ArrayList<>();
        private int port;
        private @Nullable Path dir;

        private Builder() {}

        /**
         * Sets the port. Without it, the server uses a free port.
         *
         * @throws IllegalArgumentException if the port is not between 1 and 65535
         */
        public Builder port(int port) {
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("port " + port + ": must be between 1 and 65535");
            }
            this.port = port;
            return this;
        }

        /** Sets the folder for data and log. It is created if necessary, and never removed. */
        public Builder dir(Path dir) {
            this.dir = Objects.requireNonNull(dir, "dir");
            return this;
        }

        /**
         * Appends arguments of redis-server, in the form of its command line: {@code "--appendonly", "yes"}.
         *
         * @throws IllegalArgumentException for {@code --port}, {@code --dir}, {@code --logfile} and {@code --daemonize}
         */
        public Builder args(String... args) {
            for (String arg : args) {
                requireFree(arg);
            }
            this.args.addAll(List.of(args));
            return this;
        }

        /**
         * Gives the server a configuration file with these lines, which it may rewrite. A Sentinel needs one:
         * {@code config("sentinel monitor orders 127.0.0.1 6379 2").args("--sentinel")}.
         */
        public Builder config(String... lines) {
            this.config.addAll(List.of(lines));
            return this;
        }

        private static void requireFree(String arg) {
            for (String name : RESERVED) {
                if (arg.toLowerCase(Locale.ROOT).matches("--" + name + "(\\s.*)?")) {
                    throw new IllegalArgumentException("argument " + arg
                            + ": set by the server itself; port and folder are chosen by builder().port() and .dir()");
                }
            }
        }

        /**
         * Starts the server, and returns when it answers.
         *
         * @throws IllegalStateException if the server ends (after 2 s of attempts if the port is in use), or does not answer
         *     within 10 s; the text contains the end of its log
         * @throws UnsupportedOperationException if there is no executable for this platform
         * @throws UncheckedIOException if the files cannot be written, or there is no {@code sh}
         */
        public RedisServer start() {
            return open(this);
        }
    }
}
