package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.holdfast.embedded.redis.RedisServer;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
class BenchTest {

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("ci")
    void aRunWritesARowForEachSubjectOfEachCase() throws IOException {
        Path json = folder.resolve("out.json");
        Path html = folder.resolve("out.html");

        int exit = bench(
                "--quick",
                "--cases",
                "distinct,waiters",
                "--seconds",
                "1",
                "--json",
                json.toString(),
                "--html",
                html.toString(),
                "--plots",
                folder.toString());

        assertThat(exit).as(err.toString()).isZero();
        List<Map<String, Object>> rows = rows(json);
        // the peer may fail, which is reported, and ends nothing
        List<String> failed = subjects(list(json, "failures"));
        assertThat(failed).as(err.toString()).isSubsetOf("distinct redisson", "waiters redisson");
        assertThat(subjects(rows))
                .containsExactlyElementsOf(Stream.of(
                                "distinct holdfast",
                                "distinct redisson",
                                "distinct floor",
                                "distinct no-op",
                                "waiters holdfast",
                                "waiters redisson")
                        .filter(subject -> !failed.contains(subject))
                        .toList());
        assertThat(rows).allSatisfy(row -> {
            assertThat(row)
                    .containsKeys("threads", "processes", "p50Micros", "p99Micros", "cpuMicrosPerOp", "leastShare")
                    .containsEntry("violations", 0);
            assertThat((Double) row.get("perSecond")).isPositive();
        });
        // what crosses the wire for a pair that nobody disturbs, by the server's own count
        assertThat(commandsPerOp(rows, "holdfast")).isBetween(1.99, 2.1);
        assertThat(commandsPerOp(rows, "floor")).isBetween(1.99, 2.1);
        // the other subjects are connected meanwhile, and one of them may say that it lives
        assertThat(commandsPerOp(rows, "no-op")).isLessThan(0.001);
        assertThat(folder.resolve("distinct-pairs-s.svg"))
                .content()
                .startsWith("<svg")
                .contains("<style>", "holdfast</text>");
        assertThat(Files.readString(html)).contains("<svg").contains("distinct, 1 process x 32 threads");
        assertThat(out.toString()).contains("x redisson").contains("x floor");
    }

    /** Its processes share a file. */
    @Test
    @Tag("ci")
    void aDatabaseIsMeasuredBesideItsOwnPeers() throws IOException {
        assertThat(pairs("jdbc:h2:" + folder.resolve("locks") + ";AUTO_SERVER=TRUE"))
                .containsExactly("distinct holdfast", "distinct shedlock", "distinct spring", "distinct floor");
        assertThat(out.toString()).contains("x shedlock", "x floor");
    }

    @Test
    @Tag("ci")
    void zooKeeperIsMeasuredBesideCurator() throws Exception {
        int port = freePort();
        Process server = start(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dzookeeper.admin.enableServer=false",
                "-cp",
                System.getProperty("java.class.path"),
                "org.apache.zookeeper.server.ZooKeeperServerMain",
                "" + port,
                folder.resolve("zookeeper").toString());
        try {
            await(server, () -> serves(port));
            assertThat(pairs("zookeeper://127.0.0.1:" + port))
                    .containsExactly("distinct holdfast", "distinct curator", "distinct floor");
        } finally {
            server.destroyForcibly().onExit().join();
        }
    }

    @Test
    @Tag("etcd")
    void etcdIsMeasuredBesideJetcd() throws Exception {
        int port = freePort();
        String client = "http://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + freePort();
        Process server = start(
                Path.of(System.getProperty("holdfast.servers"), "etcd", "etcd").toString(),
                "--data-dir=" + folder.resolve("etcd"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=default=" + peer);
        try {
            await(server, () -> listens(port));
            assertThat(pairs("etcd://127.0.0.1:" + port))
                    .containsExactly("distinct holdfast", "distinct jetcd", "distinct floor");
        } finally {
            server.destroyForcibly().onExit().join();
        }
    }

    private Process start(String... command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    /** Returns a port that the system gives to no outgoing connection before its server listens. */
    private static int freePort() {
        return ThreadLocalRandom.current()
                .ints(1_000, 10_000, 32_768)
                .filter(BenchTest::isFree)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The time limit of the test bounds it. */
    private void await(Process server, BooleanSupplier ready) throws IOException, InterruptedException {
        while (!ready.getAsBoolean()) {
            if (!server.isAlive()) {
                throw new AssertionError("the server has ended:\n" + Files.readString(folder.resolve("log")));
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns {@code true} if ZooKeeper serves. It listens before. */
    private static boolean serves(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            // while the server starts, it may accept a connection and never answer
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).contains("Mode");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    @Tag("ci")
    void mongoIsMeasuredBesideShedLock() throws IOException {
        MongoServer server = new MongoServer(new MemoryBackend());
        try {
            // its updates are not atomic if it has several threads
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, 1);
            int port = server.getLocalAddress().getPort();
            assertThat(pairs("mongodb://127.0.0.1:" + port + "/locks"))
                    .containsExactly("distinct holdfast", "distinct shedlock", "distinct floor");
        } finally {
            server.shutdownNow();
        }
    }

    /** Returns what was measured without contention. */
    private List<String> pairs(String store) throws IOException {
        Path json = folder.resolve("out.json");
        int exit = bench(
                "--quick",
                "--cases",
                "distinct",
                "--threads",
                "1",
                "--seconds",
                "0.1",
                "--store",
                store,
                "--json",
                json.toString());
        assertThat(exit).as(err.toString()).isZero();
        return subjects(rows(json));
    }

    @Test
    void aDatabaseInUseIsNotEmptied() {
        try (RedisServer server = RedisServer.start();
                RedisClient client = RedisClient.create(server.uri())) {
            client.connect().sync().set("mine", "1");

            assertThat(bench("--quick", "--cases", "reentrant", "--store", server.uri()))
                    .isEqualTo(2);

            assertThat(err.toString()).contains("not empty");
            assertThat(client.connect().sync().get("mine")).isEqualTo("1");
        }
    }

    @Test
    void wrongArgumentsAreToldBeforeAnythingIsMeasured() {
        assertThat(bench("--cases", "distict")).isEqualTo(2);
        assertThat(err.toString()).contains("there is no case 'distict', only [distinct, ");
        assertThat(bench("--json", folder.resolve("nowhere/out.json").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("cannot be written");
        assertThat(bench("--plots", folder.resolve("nowhere").toString())).isEqualTo(2);
        assertThat(bench("--threads", "0")).isEqualTo(2);
        assertThat(bench("--rounds", "0")).isEqualTo(2);
        assertThat(bench("--seconds", "0")).isEqualTo(2);
        assertThat(bench("--warm-up", "0")).isEqualTo(2);
    }

    @Test
    void whatOneThreadDoesIsDoneByOneWhateverIsAsked() {
        assertThat(Plan.chosen(Plan.quick(), Set.of("same", "wake", "setup", "hold"), List.of(4, 8)))
                .extracting(cell -> cell.name() + " " + cell.threads())
                .containsExactly("same 4", "same 8", "wake 1", "setup 1", "hold 1");
        assertThat(Plan.chosen(Plan.full(), Set.of("distinct"), List.of(4, 8)))
                .as("each once, though there are many of that case")
                .hasSize(2)
                .allMatch(cell -> cell.subjects().size() == 4);
    }

    private int bench(String... arguments) {
        CommandLine line = Bench.commandLine(arguments);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    private static List<Map<String, Object>> rows(Path json) throws IOException {
        return list(json, "rows");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Path json, String key) throws IOException {
        return (List<Map<String, Object>>)
                JSON.std.mapFrom(Files.readString(json)).get(key);
    }

    private static List<String> subjects(List<Map<String, Object>> entries) {
        return entries.stream()
                .map(entry -> entry.get("case") + " " + entry.get("subject"))
                .toList();
    }

    private static double commandsPerOp(List<Map<String, Object>> rows, String subject) {
        return rows.stream()
                .filter(row ->
                        row.get("case").equals("distinct") && row.get("subject").equals(subject))
                .mapToDouble(row -> ((Number) row.get("commandsPerOp")).doubleValue())
                .sum();
    }
}
