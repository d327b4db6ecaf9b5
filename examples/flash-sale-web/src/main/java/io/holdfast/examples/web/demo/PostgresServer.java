package io.holdfast.examples.web.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL server whose programs and data are in a temporary folder. If this JVM dies, a shell ends the server. In any
 * case, that shell removes the folder.
 */
final class PostgresServer implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    /**
     * The argument is the folder. The first line of the pid file is the process id of the server; SIGQUIT ends the server
     * without a shutdown checkpoint. The shell waits for the server, at most 10 s, before it removes the folder.
     */
    private static final String GUARD = """
            trap '' HUP INT PIPE QUIT TERM
            read -r end
            pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
            if [ -n "$pid" ]; then
                kill -QUIT "$pid" 2>/dev/null
                rounds=0
                while kill -0 "$pid" 2>/dev/null && [ "$rounds" -lt 100 ]; do sleep 0.1; rounds=$((rounds + 1)); done
                kill -KILL "$pid" 2>/dev/null
            fi
            rm -rf -- "$1"
            """;

    private final EmbeddedPostgres server;
    private final Process guard;

    private PostgresServer(EmbeddedPostgres server, Process guard) {
        this.server = server;
        this.guard = guard;
    }

    /** Starts a server on a free port of the loopback interface, and returns when it answers. */
    static PostgresServer start() throws IOException {
        Path folder = Files.createTempDirectory("holdfast-postgres-").toAbsolutePath();
        Process guard = new ProcessBuilder("sh", "-c", GUARD, "sh", folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(folder.resolve("programs").toFile())
                    .setDataDirectory(folder.resolve("data"))
                    .setPGStartupWait(START_LIMIT)
                    .start();
            return new PostgresServer(server, guard);
        } catch (IOException | RuntimeException e) {
            guard.outputWriter().close();
            throw e;
        }
    }

    /** Returns the JDBC URI with the user. */
    String uri() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public void close() throws IOException {
        server.close();
        guard.outputWriter().close();
        try {
            if (!guard.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("process " + guard.pid() + " has not removed its PostgreSQL within " + END_LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while process " + guard.pid() + " removed its PostgreSQL");
        }
    }
}
