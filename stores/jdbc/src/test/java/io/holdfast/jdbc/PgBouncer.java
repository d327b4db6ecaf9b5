package io.holdfast.jdbc;

import io.holdfast.testkit.cluster.Ports;
import io.holdfast.testservers.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** The connection pooler that {@code servers/pgbouncer} has brought, in transaction mode, in front of the shared PostgreSQL. */
final class PgBouncer {

    private static final PgBouncer SHARED = start();
    private static final int PORTS = 3;
    private static final int STEPS = 600;

    private final int port;

    private PgBouncer(int port) {
        this.port = port;
    }

    static PgBouncer shared() {
        return SHARED;
    }

    /** Returns the URI by which a client connects through the pooler. */
    String uri(String direct) {
        return direct.replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
    }

    private static PgBouncer start() {
        try {
            Path folder = Files.createTempDirectory("holdfast-pgbouncer");
            for (int attempt = 1; ; attempt++) {
                PgBouncer pooler = new PgBouncer(Ports.free());
                ServerProcess process = new ServerProcess(folder, folder.resolve("pid"), pooler.command(folder));
                if (pooler.answers(process)) {
                    Runtime.getRuntime().addShutdownHook(new Thread(process::close));
                    return pooler;
                }
                String output = process.output();
                process.close();
                if (attempt == PORTS) {
                    throw new AssertionError("the pooler does not start: " + output);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> command(Path folder) throws IOException {
        Path users = Files.writeString(folder.resolve("users"), "\"postgres\" \"\"\n");
        String server = Servers.postgreSql().uri().replaceFirst(".*//[^/]*:(\\d+)/.*", "$1");
        Path configuration = Files.writeString(
                folder.resolve("pgbouncer.ini"),
                String.join(
                        "\n",
                        "[databases]",
                        "* = host=127.0.0.1 port=" + server,
                        "[pgbouncer]",
                        "listen_addr = 127.0.0.1",
                        "listen_port = " + port,
                        "unix_socket_dir =",
                        "pidfile = " + folder.resolve("pid"),
                        "auth_type = trust",
                        "auth_file = " + users,
                        "auth_user = postgres",
                        "pool_mode = transaction",
                        "max_client_conn = 1000",
                        "ignore_startup_parameters = extra_float_digits",
                        // a rule ends when its role has no connection
                        "server_idle_timeout = 0.5",
                        ""));
        String program = Path.of(System.getProperty("holdfast.servers"), "pgbouncer", "pgbouncer")
                .toString();
        // it refuses to run as root, and does not see who runs it in a user namespace of its own
        return System.getProperty("user.name").equals("root")
                ? List.of("unshare", "-U", program, configuration.toString())
                : List.of(program, configuration.toString());
    }

    private boolean answers(ServerProcess process) throws InterruptedException {
        for (int step = 0; process.isAlive() && step < STEPS; step++) {
            try {
                DriverManager.getConnection(uri(Servers.postgreSql().uri())).close();
                return true;
            } catch (SQLException e) {
                Thread.sleep(50);
            }
        }
        return false;
    }
}
