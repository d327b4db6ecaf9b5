package io.holdfast.zookeeper;

import io.holdfast.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** One or several ZooKeeper servers, each a process, on free ports of the loopback interface. */
final class Ensemble implements AutoCloseable {

    /** The tick time of the servers. */
    static final Duration TICK = Duration.ofMillis(200);

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final long SIGNAL_SECONDS = 10;

    private final Path folder;
    private final List<Integer> ports;
    private final Map<Integer, Process> processes = new TreeMap<>();

    /** Starts servers, and waits until they serve. */
    Ensemble(int size) {
        try {
            folder = Files.createTempDirectory("holdfast-zookeeper");
            List<Integer> free = freePorts(3 * size);
            ports = free.subList(0, size);
            for (int i = 0; i < size; i++) {
                writeConfiguration(i, free);
                start(i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitService();
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            sockets.add(socket);
            ports.add(socket.getLocalPort());
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return ports;
    }

    private Path home(int server) {
        return folder.resolve("server" + server);
    }

    private void writeConfiguration(int server, List<Integer> free) throws IOException {
        int size = ports.size();
        Path home = Files.createDirectories(home(server));
        Files.writeString(home.resolve("myid"), "" + (server + 1));
        String members = size == 1
                ? ""
                : IntStream.range(0, size)
                        .mapToObj(i -> "server." + (i + 1) + "=127.0.0.1:" + free.get(size + i) + ":"
                                + free.get(2 * size + i) + "\n")
                        .collect(Collectors.joining());
        Files.writeString(
                home.resolve("zoo.cfg"),
                "tickTime=" + TICK.toMillis() + "\ninitLimit=50\nsyncLimit=25\nminSessionTimeout=400\n"
                        + "maxSessionTimeout=60000\nmaxClientCnxns=0\nadmin.enableServer=false\n"
                        + "4lw.commands.whitelist=*\nclientPortAddress=127.0.0.1\nclientPort=" + ports.get(server)
                        + "\ndataDir=" + home + "\n" + members);
    }

    void start(int server) {
        Path home = home(server);
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dzookeeper.forceSync=no",
                "-cp",
                System.getProperty("java.class.path"),
                ServerMain.class.getName(),
                home.resolve("zoo.cfg").toString());
        try {
            processes.put(
                    server,
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(
                                    home.resolve("log").toFile()))
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitService() {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (!serves()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("ZooKeeper does not start: " + log());
            }
        }
    }

    private boolean serves() {
        try {
            ZooKeeper client = client();
            try {
                client.exists("/", false);
                return true;
            } catch (KeeperException e) {
                return false;
            } finally {
                client.close();
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String log() {
        try {
            return Files.readString(home(0).resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Returns a client to look at the nodes. */
    ZooKeeper client() throws IOException {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        return new ZooKeeper(servers(), 10_000, event -> {}, config);
    }

    int port(int server) {
        return ports.get(server);
    }

    String servers() {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    String uri() {
        return uri(Duration.ofSeconds(30));
    }

    String uri(Duration session) {
        return "zookeeper://" + servers() + "?session=" + session.toMillis() + "ms&tick=" + TICK.toMillis() + "ms";
    }

    /** Returns the number of requests that a server has received, apart from this one. */
    long received(int server) {
        return command(server, "mntr")
                .lines()
                .filter(line -> line.startsWith("zk_packets_received"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf('\t') + 1)))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the answer of a server to one of its commands for people. */
    private String command(int server, String text) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), ports.get(server))) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the server that leads. */
    int leader() {
        return findLeader().orElseThrow();
    }

    private OptionalInt findLeader() {
        return IntStream.range(0, ports.size()).filter(this::leads).findFirst();
    }

    private boolean leads(int server) {
        try {
            return command(server, "stat").contains("Mode: leader");
        } catch (UncheckedIOException e) {
            // it is not up yet
            return false;
        }
    }

    void awaitLeader() {
        Await.until("a server leads", () -> findLeader().isPresent());
    }

    void pause(int server) {
        signal(server, "-STOP");
    }

    void resume(int server) {
        signal(server, "-CONT");
    }

    void kill(int server) {
        signal(server, "-KILL");
        processes.get(server).onExit().join();
    }

    private void signal(int server, String signal) {
        try {
            Process kill = new ProcessBuilder(
                            "kill", signal, "" + processes.get(server).pid())
                    .start();
            if (!kill.waitFor(SIGNAL_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("kill does not end");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        processes.values().forEach(Process::destroyForcibly);
        processes.values().forEach(each -> each.onExit().join());
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
