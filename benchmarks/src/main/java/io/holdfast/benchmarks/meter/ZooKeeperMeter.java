package io.holdfast.benchmarks.meter;

import io.holdfast.benchmarks.subject.ServerKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * The counters of a ZooKeeper server, by its command {@code srvr}. Of several servers, only the first one is read. What it sends
 * beyond its answers are watch events.
 */
final class ZooKeeperMeter implements ServerMeter {

    private static final int MILLIS = 10_000;
    private static final String OWN = "zookeeper";

    private final String uri;
    private final InetSocketAddress first;
    private final ZooKeeper zooKeeper;

    ZooKeeperMeter(String uri) throws IOException {
        this.uri = uri;
        String servers = ServerKind.withoutScheme(uri);
        String server = servers.replaceFirst("[,/?].*", "");
        int colon = server.lastIndexOf(':');
        first = new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        requireAnswer();
        zooKeeper = new ZooKeeper(servers, MILLIS, event -> {});
    }

    private void requireAnswer() throws IOException {
        if (!answer().startsWith("Zookeeper version")) {
            throw new IOException("no ZooKeeper that answers to 'srvr' at " + first);
        }
    }

    private String answer() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(first, MILLIS);
            socket.setSoTimeout(MILLIS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private String value(String field) {
        try {
            return answer().lines()
                    .filter(line -> line.startsWith(field + ": "))
                    .map(line -> line.substring(field.length() + 2))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Request<T> {
        T run() throws KeeperException, InterruptedException;
    }

    private static <T> T run(Request<T> request) {
        try {
            return request.run();
        } catch (KeeperException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Reading read() {
        long received = Long.parseLong(value("Received"));
        return new Reading(received, Math.max(0, Long.parseLong(value("Sent")) - received), 0, 0);
    }

    @Override
    public long present(String prefix, int count) {
        return Locks.held(uri, prefix, count);
    }

    @Override
    public String version() {
        return "ZooKeeper " + value("Zookeeper version").replaceFirst("[-,].*", "");
    }

    private List<String> nodes() throws KeeperException, InterruptedException {
        return zooKeeper.getChildren("/", false).stream()
                .filter(node -> !node.equals(OWN))
                .toList();
    }

    @Override
    public boolean isEmpty() {
        return run(this::nodes).isEmpty();
    }

    @Override
    public void clear() {
        run(() -> {
            for (String node : nodes()) {
                ZKUtil.deleteRecursive(zooKeeper, "/" + node);
            }
            return nodes();
        });
    }

    @Override
    public void close() {
        run(() -> {
            zooKeeper.close();
            return zooKeeper;
        });
    }
}
