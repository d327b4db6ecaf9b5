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
 * A real Redis 7.0 server: a process of its own on a port of 127.0.0.1, which ends with this JVM.
 *
 * <pre>{@code
 * try (RedisServer server = RedisServer.start("--requirepass", "secret")) {
 *     connectTo(server.uri());
 * }
 * }</pre>
 *
 * <p>The executable is a resource; it is unpacked into a private temporary folder, the home of the server. Neither
 * Redis nor any privilege has to be there. Without arguments the server keeps nothing: {@code --bind 127.0.0.1 --save ''
 * --appendonly no}.
 *
 * <p>Where the system property {@code io.holdfast.embedded.redis.executable} names the server of another Redis, or of Valkey, that
 * one is started instead.
 *
 * <p>When the JVM ends without {@link #close()}, be it by {@code System.exit} or by {@code kill -9}, the server process
 * and its home are gone within a second.
 *
 * <p>All methods may be called by any thread; those that change the state of the process take their turn. They wait for
 * what they promise, and no interrupt cuts them short: the flag of the thread is kept.
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
     * @param args further arguments of redis-server, as on its command line: {@code "--appendonly", "yes"}
     * @throws IllegalArgumentException if an argument is one that this class has to set itself
     * @throws IllegalStateException if the server ends, or does not answer within 10 s; the text has the end of its log
     * @throws UnsupportedOperationException if there is no executable for this platform
     * @throws UncheckedIOException if the files cannot be written, or there is no {@code sh}
     */
    public static RedisServer start(String... args) {
        return builder().args(args).start();
    }

    /** What can be chosen before a start. */
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

    /** The guard comes before the executable, so that a JVM killed while it unpacks leaves nothing either. */
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
     * Starts the process on a port of the given source. A port in use is tried again, or another one is, for a moment:
     * a free port may be lost to another process before it is bound, and the port of a server that was down to an
     * outgoing connection.
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

    /** The log is asked, not the port: at a port in use, a stranger would answer. */
    private boolean launch(int candidate) {
        log.mark();
        port = candidate;
        pid = guard.start(candidate);
        return Poll.until(READY_LIMIT, () -> log.saysInitialized() || !guard.serverIsAlive()) && guard.serverIsAlive();
    }

    /** The port on 127.0.0.1; it stays the same over restarts. */
    public int port() {
        return port;
    }

    /** The address for clients: {@code redis://127.0.0.1:PORT}, without a password. */
    public String uri() {
        return "redis://" + Loopback.HOST + ":" + port;
    }

    /** The process id of the Redis server; another one after a restart, and the last one when it does not run. */
    public long pid() {
        return pid;
    }

    /** The folder of the server's data and of its log, {@code redis.log}. */
    public Path dir() {
        return dir;
    }

    /** The private folder of the executable, and of the data unless the caller gave a folder for them. */
    Path home() {
        return home;
    }

    /**
     * Waits until the server answers a PING. That it wants a password is an answer, and so is that it is still loading
     * its data: a server with an append-only file may refuse commands with {@code LOADING} for a while after a start.
     *
     * @throws IllegalStateException if it is closed, does not run, or does not answer within 10 s (it may be paused);
     *     the text has the end of its log
     */
    public void awaitReady() {
        requireOpen();
        if (!Poll.until(READY_LIMIT, () -> Loopback.answersPing(port) || !guard.serverIsAlive())
                || !guard.serverIsAlive()) {
            throw notReady("does not answer");
        }
    }

    /**
     * Stops the process from running (SIGSTOP) without ending it: connections stay open, and nothing is answered.
     *
     * @throws IllegalStateException if the server is closed or does not run
     */
    public void pause() {
        locked(() -> signalRunning("STOP"));
    }

    /**
     * Lets a paused process run on (SIGCONT); no effect on one that runs.
     *
     * @throws IllegalStateException if the server is closed or does not run
     */
    public void resume() {
        locked(() -> signalRunning("CONT"));
    }

    /**
     * Kills the process (SIGKILL) and returns when it is gone; the folder stays. No effect if it does not run.
     *
     * @throws IllegalStateException if the server is closed
     */
    public void kill() {
        locked(guard::kill);
    }

    /**
     * Starts the process again on the same port, with the same folder and arguments, and returns when it answers. A
     * process that still runs is shut down in good order before.
     *
     * @throws IllegalStateException if the server is closed, or the new process ends or does not answer; the text has
     *     the end of its log, and another restart may be tried
     */
    public void restart() {
        locked(() -> {
            shutDown();
            boot(() -> port);
        });
    }

    /** The same as {@link #close()}. */
    public void stop() {
        close();
    }

    /**
     * Shuts the server down in good order, paused or not, and returns when the process, its port and its home are gone;
     * a folder given by the caller stays. One that has not ended after 10 s is killed. A second call has no effect.
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
        LOG.debug("Redis process {} on port {} is gone", pid, port);
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
            throw notReady("does not run");
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

    /** Where a server listens and keeps its data, for the cases in which that must outlive it. */
    public static final class Builder {

        private static final List<String> RESERVED = List.of("port", "dir", "logfile", "daemonize");

        private final List<String> args = new ArrayList<>();
        private final List<String> config = new ArrayList<>();
        private int port;
        private @Nullable Path dir;

        private Builder() {}

        /**
         * Listens on this port; without it, on a free one.
         *
         * @throws IllegalArgumentException if it is not between 1 and 65535
         */
        public Builder port(int port) {
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("port " + port + ": must be between 1 and 65535");
            }
            this.port = port;
            return this;
        }

        /** Keeps data and log in this folder, which is made if need be and never removed. */
        public Builder dir(Path dir) {
            this.dir = Objects.requireNonNull(dir, "dir");
            return this;
        }

        /**
         * Appends arguments of redis-server, as on its command line: {@code "--appendonly", "yes"}.
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
         * Gives the server a configuration file with these lines, which it may rewrite. A Sentinel needs one: {@code
         * config("sentinel monitor orders 127.0.0.1 6379 2").args("--sentinel")}.
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
         * @throws IllegalStateException if the server ends (after 2 s of attempts if the port is in use), or does not
         *     answer within 10 s; the text has the end of its log
         * @throws UnsupportedOperationException if there is no executable for this platform
         * @throws UncheckedIOException if the files cannot be written, or there is no {@code sh}
         */
        public RedisServer start() {
            return open(this);
        }
    }
}
