package io.holdfast.testservers;

import io.holdfast.testkit.cluster.Cluster;
import io.holdfast.testkit.cluster.JavaCommand;
import io.holdfast.testkit.faults.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** One or several ZooKeeper servers, each a process, on free ports of the loopback interface. */
public final class ZooKeeperServers extends Cluster {

    /** The tick time of the servers. */
    public static final Duration TICK = Duration.ofMillis(200);

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final int ANSWER_MILLIS = 10_000;

    // the paths of the first server to the others, if it can be cut off
    private final List<Wire> paths = new ArrayList<>();

    private final List<String> settings;

    /** Starts servers, and waits until they serve. */
    public ZooKeeperServers(int size) {
        this(size, false, List.of());
    }

    /** Starts one server with more lines of configuration, and waits until it serves. */
    public ZooKeeperServers(List<String> settings) {
        this(1, false, settings);
    }

    /** Starts three servers, the first of which can be cut off from the others. */
    public static ZooKeeperServers withIsolation() {
        return new ZooKeeperServers(3, true, List.of());
    }

    private ZooKeeperServers(int size, boolean isolation, List<String> settings) {
        super(folder(), size, 3);
        this.settings = settings;
        for (int i = 1; isolation && i < size; i++) {
            paths.add(new Wire(port(i, 1)));
        }
        try {
            for (int i = 0; i < size; i++) {
                writeConfiguration(i);
                start(i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitService();
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("holdfast-zookeeper");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeConfiguration(int server) throws IOException {
        Path home = Files.createDirectories(home(server));
        Files.writeString(home.resolve("myid"), "" + (server + 1));
        String members = size() == 1
                ? ""
                : IntStream.range(0, size())
                        .mapToObj(i ->
                                "server." + (i + 1) + "=127.0.0.1:" + quorumPort(server, i) + ":" + port(i, 2) + "\n")
                        .collect(Collectors.joining());
        Files.writeString(
                home.resolve("zoo.cfg"),
                "tickTime=" + TICK.toMillis() + "\ninitLimit=50\nsyncLimit=" + (paths.isEmpty() ? 25 : 150)
                        + "\nminSessionTimeout=400\n"
                        + "maxSessionTimeout=60000\nmaxClientCnxns=0\nadmin.enableServer=false\n"
                        + "4lw.commands.whitelist=*\nclientPortAddress=127.0.0.1\nclientPort=" + port(server)
                        + "\ndataDir=" + home + "\n" + members + String.join("\n", settings));
    }

    /** Returns the port at which a server looks for another one that leads. */
    private int quorumPort(int server, int other) {
        return server == 0 && other > 0 && !paths.isEmpty()
                ? paths.get(other - 1).port()
                : port(other, 1);
    }

    /** Cuts the first server, which follows another one, from its leader. Its connections stay open. */
    public void isolateFollower() {
        if (leader() == 0) {
            throw new AssertionError("the first server leads");
        }
        paths.forEach(path -> path.blockRequests(true));
        paths.forEach(path -> path.blockAnswers(true));
    }

    /** Deletes all data of a server that was killed. */
    public void wipe(int server) {
        try {
            delete(home(server));
            writeConfiguration(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends all servers. */
    @Override
    public void close() {
        paths.forEach(Wire::close);
        super.close();
    }

    @Override
    public void start(int server) {
        start(
                server,
                JavaCommand.of(
                        List.of("-Xmx128m", "-Dzookeeper.forceSync=no"),
                        ZooKeeperMain.class,
                        home(server).resolve("zoo.cfg").toString()));
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

    /** Returns a client to look at the nodes. */
    public ZooKeeper client() throws IOException {
        return client(servers(), event -> {});
    }

    /** Returns a client of some of the servers. */
    public static ZooKeeper client(String servers, Watcher watcher) throws IOException {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        return new ZooKeeper(servers, 10_000, watcher, config);
    }

    public String uri() {
        return uri(Duration.ofSeconds(30));
    }

    @Override
    public String uri(Duration session) {
        return uri(servers(), session);
    }

    /** Returns the URI of a store at some of the servers. */
    public static String uri(String servers, Duration session) {
        return "zookeeper://" + servers + "?session=" + session.toMillis() + "ms&tick=" + TICK.toMillis() + "ms";
    }

    /** Returns the number of requests that a server has received, apart from this one. */
    public long received(int server) {
        return command(server, "mntr")
                .lines()
                .filter(line -> line.startsWith("zk_packets_received"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf('\t') + 1)))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the answer of a server to one of its commands for people. */
    private String command(int server, String text) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server))) {
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected boolean leads(int server) {
        try {
            return command(server, "stat").contains("Mode: leader");
        } catch (UncheckedIOException e) {
            // it is not up yet
            return false;
        }
    }
}
