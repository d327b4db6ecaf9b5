package io.holdfast.jdbc;

import io.holdfast.testservers.DatabaseProcess;
import io.holdfast.testservers.DatabaseProcess.Product;
import io.holdfast.testservers.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A real server, which ends with this process, and the statements by which a test looks into it. */
final class DatabaseServer implements AutoCloseable {

    private static final String POSTGRESQL_OURS =
            "FROM pg_stat_activity WHERE application_name = 'holdfast' AND usename = current_user";
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final String MYSQL_OURS =
            "FROM information_schema.processlist WHERE db = database() AND id <> connection_id()";

    private final String uri;
    private final Closeable closing;
    private final Optional<DatabaseProcess> process;
    /** The connections of harnesses that have ended. Each rule would otherwise start a process of PostgreSQL for its own. */
    private final Queue<Databases> looks = new ConcurrentLinkedQueue<>();

    private DatabaseServer(String uri, Closeable closing, Optional<DatabaseProcess> process) {
        this.uri = uri;
        this.closing = closing;
        this.process = process;
    }

    static DatabaseServer postgreSql() {
        try {
            EmbeddedPostgres server =
                    // each connection has a process, which maps the buffers
                    EmbeddedPostgres.builder()
                            .setServerConfig("shared_buffers", "16MB")
                            .setServerConfig("max_connections", "1000")
                            .setPGStartupWait(DatabaseProcess.START)
                            .start();
            return new DatabaseServer(server.getJdbcUrl("postgres", "postgres"), server, Optional.empty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DatabaseServer of(DatabaseProcess process) {
        return new DatabaseServer(process.uri(), process::close, Optional.of(process));
    }

    /** A server of its own, with the programs of the shared one. */
    static DatabaseServer ownPostgreSql(Path folder) throws IOException, InterruptedException {
        Path programs =
                DatabaseProcess.programsOfPostgreSql(Servers.postgreSql().uri());
        return of(DatabaseProcess.startPostgreSql(folder, programs));
    }

    /** The server in the test artifact. */
    static DatabaseServer mariaDb(Path folder) throws IOException, InterruptedException {
        Path home = MariaDbHome.unpacked();
        ServerProcess.run(
                folder,
                DatabaseProcess.START.toSeconds(),
                List.of(
                        home.resolve("scripts/mariadb-install-db").toString(),
                        "--no-defaults",
                        "--user=" + System.getProperty("user.name"),
                        "--basedir=" + home,
                        "--datadir=" + folder.resolve("data"),
                        "--auth-root-authentication-method=normal",
                        "--skip-test-db"));
        List<String> program =
                new ArrayList<>(List.of(home.resolve("bin/mariadbd").toString(), "--no-defaults", "--basedir=" + home));
        // it would make a certificate with each start, for seconds
        program.add("--skip-ssl");
        return startMySql(folder, "mariadb", "sslMode=disable", program);
    }

    /** The server that {@code servers/mysql} has brought. */
    static DatabaseServer mySql(Path folder) throws IOException, InterruptedException {
        String program = Path.of(System.getProperty("holdfast.servers"), "mysql", "mysqld")
                .toString();
        ServerProcess.run(
                folder,
                DatabaseProcess.START.toSeconds(),
                List.of(
                        program,
                        "--user=" + System.getProperty("user.name"),
                        "--initialize-insecure",
                        "--datadir=" + folder.resolve("data")));
        return startMySql(
                folder,
                "mysql",
                "sslMode=DISABLED&allowPublicKeyRetrieval=true",
                List.of(program, "--mysqlx=OFF", "--skip-log-bin"));
    }

    /** Starts a server that loses no commit when it is killed, though it does not wait for the disk. */
    private static DatabaseServer startMySql(Path folder, String scheme, String settings, List<String> program)
            throws IOException, InterruptedException {
        Path pidFile = folder.resolve("pid");
        Product product = new Product(scheme, "mysql", "locks", "user=root&" + settings);
        return of(DatabaseProcess.start(folder, pidFile, product, port -> {
            List<String> command = new ArrayList<>(program);
            command.addAll(List.of(
                    "--user=" + System.getProperty("user.name"),
                    "--datadir=" + folder.resolve("data"),
                    "--port=" + port,
                    "--bind-address=127.0.0.1",
                    "--socket=" + folder.resolve("socket"),
                    "--pid-file=" + pidFile,
                    "--innodb-flush-log-at-trx-commit=2",
                    // a crowd of 64 clients has more than the usual limit
                    "--max-connections=1000"));
            return command;
        }));
    }

    // ---- faults

    void pause() {
        process.orElseThrow().pause();
    }

    void resume() {
        process.orElseThrow().resume();
    }

    void kill() {
        process.orElseThrow().kill();
    }

    void restart() throws IOException, InterruptedException {
        process.orElseThrow().restart();
    }

    String uri() {
        return uri;
    }

    int port() {
        return Integer.parseInt(uri.replaceFirst(".*//[^:/]*:(\\d+)/.*", "$1"));
    }

    /** The URI with another port, which leads to the server. */
    String uri(int port) {
        return uri.replaceFirst(":" + port() + "/", ":" + port + "/");
    }

    private boolean isPostgreSql() {
        return uri.startsWith("jdbc:postgresql:");
    }

    /** The end of a query for the connections of clients. */
    private String ours() {
        return isPostgreSql() ? POSTGRESQL_OURS : MYSQL_OURS;
    }

    /** The query that returns the statements which end the connections of clients. */
    String endings() {
        return (isPostgreSql() ? "SELECT 'SELECT pg_terminate_backend(' || pid || ')' " : "SELECT concat('KILL ', id) ")
                + ours();
    }

    /** Another look into the database, with tables that exist. */
    Databases database() {
        Databases.client(uri).close();
        return Databases.at(uri, "SELECT count(*) " + ours());
    }

    /** A harness with tables of its own: in another schema of PostgreSQL, or in another database. */
    DatabaseHarness harness() {
        return harness(uri -> uri);
    }

    /**
     * A harness whose clients connect in another way.
     *
     * @param way returns the URI of the clients for one that leads to the server itself
     */
    DatabaseHarness harness(UnaryOperator<String> way) {
        String name = "rule" + NUMBERS.incrementAndGet();
        Databases look = Optional.ofNullable(looks.poll()).orElseGet(() -> Databases.at(uri, ""));
        Databases own = isPostgreSql() ? ownSchema(look, name) : ownDatabase(look, name);
        return new DatabaseHarness(own, way.apply(own.url()));
    }

    private Databases ownSchema(Databases look, String name) {
        look.run("CREATE ROLE " + name + " LOGIN");
        look.run("CREATE SCHEMA " + name + " AUTHORIZATION " + name);
        look.run("ALTER ROLE " + name + " SET search_path = " + name);
        // not the usual names of tables, because a client with those would find the table in each schema
        return look.within(
                uri.replace("user=postgres", "user=" + name) + "&tablePrefix=" + name + ".rule_",
                "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + name + "'",
                looks::add);
    }

    private Databases ownDatabase(Databases look, String name) {
        look.run("CREATE DATABASE " + name);
        look.run("USE " + name);
        return look.within(uri.replace("/locks?", "/" + name + "?"), "SELECT count(*) " + MYSQL_OURS, looks::add);
    }

    @Override
    public void close() throws IOException {
        closing.close();
    }
}
