package io.holdfast.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real server, which ends with this process, and the statements by which a test looks into it. */
final class DatabaseServer implements AutoCloseable {

    /** Ends the server when the process that has started it is gone, which closes its end of the pipe. */
    private static final String GUARDED =
            "exec 3<&0; \"$@\" 3<&- & server=$!; { cat >/dev/null; kill -9 $server; } <&3 & wait $server";

    private static final Duration START = Duration.ofSeconds(60);
    private static final int PORTS = 3;

    private final String uri;
    private final String sessions;
    private final Closeable process;

    private DatabaseServer(String uri, String sessions, Closeable process) {
        this.uri = uri;
        this.sessions = sessions;
        this.process = process;
    }

    static DatabaseServer postgreSql() {
        try {
            EmbeddedPostgres server =
                    EmbeddedPostgres.builder().setPGStartupWait(START).start();
            return new DatabaseServer(
                    server.getJdbcUrl("postgres", "postgres"),
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'",
                    server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server in the test artifact. */
    static DatabaseServer mariaDb(Path folder) throws IOException, InterruptedException {
        Path home = MariaDbHome.unpacked();
        run(
                folder,
                home.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + home,
                "--datadir=" + folder.resolve("data"),
                "--auth-root-authentication-method=normal",
                "--skip-test-db");
        return start(
                folder,
                "mariadb",
                "sslMode=disable",
                home.resolve("bin/mariadbd"),
                "--no-defaults",
                "--basedir=" + home);
    }

    /** The server that {@code servers/mysql} has brought. */
    static DatabaseServer mySql(Path folder) throws IOException, InterruptedException {
        Path program = Path.of(System.getProperty("holdfast.servers"), "mysql", "mysqld");
        run(
                folder,
                program.toString(),
                "--user=" + System.getProperty("user.name"),
                "--initialize-insecure",
                "--datadir=" + folder.resolve("data"));
        return start(
                folder,
                "mysql",
                "sslMode=DISABLED&allowPublicKeyRetrieval=true",
                program,
                "--mysqlx=OFF",
                "--skip-log-bin");
    }

    private static void run(Path folder, String... command) throws IOException, InterruptedException {
        File log = folder.resolve("install.log").toFile();
        Process process = process(folder, log, List.of(command));
        if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError(String.join(" ", command) + " failed: " + Files.readString(log.toPath()));
        }
    }

    /** Starts the server on a free port. Another process may take the port in between, so it is tried again on another one. */
    private static DatabaseServer start(Path folder, String scheme, String settings, Path program, String... options)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            int port = freePort();
            List<String> command = new ArrayList<>(List.of("sh", "-c", GUARDED, "server", program.toString()));
            command.addAll(List.of(options));
            command.addAll(List.of(
                    "--user=" + System.getProperty("user.name"),
                    "--datadir=" + folder.resolve("data"),
                    "--port=" + port,
                    "--bind-address=127.0.0.1",
                    "--socket=" + folder.resolve("socket"),
                    "--pid-file=" + folder.resolve("pid"),
                    "--innodb-flush-log-at-trx-commit=0"));
            File log = folder.resolve("server.log").toFile();
            Process process = process(folder, log, command);
            String base = "jdbc:" + scheme + "://127.0.0.1:" + port + "/";
            String login = "?user=root&" + settings;
            if (answers(process, base + "mysql" + login)) {
                return new DatabaseServer(
                        base + "locks" + login,
                        "SELECT count(*) FROM information_schema.processlist WHERE db = 'locks' AND id <> connection_id()",
                        () -> stop(process));
            }
            stop(process);
            if (attempt == PORTS) {
                throw new AssertionError("the server does not start: " + Files.readString(log.toPath()));
            }
        }
    }

    /** Starts a process that has its temporary files in the folder, because the names of two servers' files may be the same. */
    private static Process process(Path folder, File log, List<String> command) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log);
        builder.environment().put("TMPDIR", folder.toString());
        return builder.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean answers(Process process, String uri) throws InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        while (process.isAlive() && System.nanoTime() - end < 0) {
            try (Connection connection = DriverManager.getConnection(uri)) {
                connection.createStatement().execute("CREATE DATABASE IF NOT EXISTS locks");
                return true;
            } catch (SQLException e) {
                Thread.sleep(50);
            }
        }
        return false;
    }

    private static void stop(Process process) throws IOException {
        process.getOutputStream().close();
        process.onExit().join();
    }

    String uri() {
        return uri;
    }

    /** Another look into the database, with tables that exist. */
    Databases database() {
        Databases.client(uri).close();
        return Databases.at(uri, sessions);
    }

    /** A harness with empty tables. */
    DatabaseHarness harness() {
        DatabaseHarness harness = new DatabaseHarness(database());
        harness.wipe();
        return harness;
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
