package io.holdfast.testservers;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Cluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One or several etcd servers, each a process, on free ports of the loopback interface. */
public final class EtcdServers extends Cluster {

    /** A file system in memory, because the servers wait for the disk. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private static final long ANSWER_SECONDS = 2;

    private final List<String> options;
    private final Map<Integer, ManagedChannel> channels = new TreeMap<>();

    /** Starts servers, and waits until they serve. */
    public EtcdServers(int size) {
        this(size, List.of());
        Await.until("etcd serves: " + log(), this::serves);
    }

    /** Starts servers with further options, among which are those of TLS. */
    public EtcdServers(int size, List<String> options) {
        super(folder(), size, 2);
        this.options = options;
        for (int i = 0; i < size; i++) {
            start(i);
        }
    }

    private static Path folder() {
        try {
            return Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "holdfast-etcd")
                    : Files.createTempDirectory("holdfast-etcd");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path program() {
        Path program = Path.of(System.getProperty("holdfast.servers"), "etcd", "etcd");
        if (!Files.isExecutable(program)) {
            throw new AssertionError("no etcd at " + program + "; servers/etcd brings it");
        }
        return program;
    }

    @Override
    public void start(int server) {
        String client = (options.isEmpty() ? "http" : "https") + "://127.0.0.1:" + port(server);
        String members = IntStream.range(0, size())
                .mapToObj(i -> "n" + i + "=http://127.0.0.1:" + port(i, 1))
                .collect(Collectors.joining(","));
        List<String> command = new ArrayList<>(List.of(
                program().toString(),
                "--name=n" + server,
                "--data-dir=" + home(server),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=http://127.0.0.1:" + port(server, 1),
                "--initial-advertise-peer-urls=http://127.0.0.1:" + port(server, 1),
                "--initial-cluster=" + members,
                "--initial-cluster-state=new",
                "--heartbeat-interval=50",
                "--election-timeout=500"));
        command.addAll(options);
        start(server, command);
    }

    /** Copies the data of a server, which is stopped for it. */
    public void backUp(int server) throws IOException {
        kill(server);
        copy(home(server), backup(server));
        start(server);
    }

    /** Lets a server go on with the data of its last backup. */
    public void restore(int server) throws IOException {
        kill(server);
        delete(home(server));
        copy(backup(server), home(server));
        start(server);
    }

    private Path backup(int server) {
        return home(server).resolveSibling("backup" + server);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    // ---- looking at them

    /** Returns a connection to a server. */
    public ManagedChannel channel(int server) {
        return channels.computeIfAbsent(
                server,
                number -> NettyChannelBuilder.forAddress("127.0.0.1", port(number))
                        .usePlaintext()
                        .build());
    }

    /** Returns the first keys below a prefix, from the first server. */
    public List<KeyValue> keys(String prefix) {
        ByteString first = ByteString.copyFromUtf8(prefix);
        ByteString end = first.substring(0, first.size() - 1).concat(ByteString.copyFrom(new byte[] {
            (byte) (first.byteAt(first.size() - 1) + 1)
        }));
        return KVGrpc.newBlockingStub(channel(0))
                .range(RangeRequest.newBuilder()
                        .setKey(first)
                        .setRangeEnd(end)
                        .setLimit(1_000)
                        .build())
                .getKvsList();
    }

    /** Writes a key. */
    public void put(String key, String value) {
        var unused = KVGrpc.newBlockingStub(channel(0))
                .put(PutRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8(key))
                        .setValue(ByteString.copyFromUtf8(value))
                        .build());
    }

    /** Deletes a key. */
    public void delete(ByteString key) {
        var unused = KVGrpc.newBlockingStub(channel(0))
                .deleteRange(DeleteRangeRequest.newBuilder().setKey(key).build());
    }

    /** Forgets the history before the present revision. */
    public void compact() {
        long revision = KVGrpc.newBlockingStub(channel(0))
                .range(RangeRequest.newBuilder()
                        .setKey(ByteString.copyFromUtf8("none"))
                        .build())
                .getHeader()
                .getRevision();
        var unused = KVGrpc.newBlockingStub(channel(0))
                .compact(CompactionRequest.newBuilder()
                        .setRevision(revision)
                        .setPhysical(true)
                        .build());
    }

    /** Returns the number of calls of its method that a server has received. */
    public long received(int server, String method) {
        URI metrics = URI.create("http://127.0.0.1:" + port(server) + "/metrics");
        try (InputStream in = metrics.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("grpc_server_started_total{grpc_method=\"" + method + "\""))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean serves() {
        try {
            return keys("none").isEmpty();
        } catch (StatusRuntimeException e) {
            return false;
        }
    }

    @Override
    protected boolean leads(int server) {
        try {
            StatusResponse status = MaintenanceGrpc.newBlockingStub(channel(server))
                    .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .status(StatusRequest.getDefaultInstance());
            return status.getLeader() == status.getHeader().getMemberId();
        } catch (StatusRuntimeException e) {
            // it is not up yet
            return false;
        }
    }

    public String uri() {
        return uri(Duration.ofSeconds(30));
    }

    @Override
    public String uri(Duration session) {
        return "etcd://" + servers() + "?session=" + session.toSeconds() + "s";
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
        super.close();
    }
}
