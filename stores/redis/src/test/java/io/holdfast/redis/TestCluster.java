package io.holdfast.redis;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.cluster.Ports;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Three masters, with a replica each if wanted, on free ports; each knows all others. */
final class TestCluster implements AutoCloseable {

    static final int MASTERS = 3;
    private static final long MEET_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** What a user needs beside the rights for a single server. */
    static final String[] RIGHTS = {
        "cluster|info",
        "cluster|slots",
        "cluster|myid",
        "asking",
        "ssubscribe",
        "spublish",
        "pubsub|shardnumsub",
        "&hf:{*"
    };

    private static final Logger LOG = LoggerFactory.getLogger(TestCluster.class);
    private static final int SLOTS = 16_384;

    /** A server, and a look into it. */
    record Node(RedisServer server, String id, int port, int bus, StatefulRedisConnection<String, String> connection) {

        RedisCommands<String, String> redis() {
            return connection.sync();
        }

        String place() {
            return "127.0.0.1:" + port;
        }

        /** Sends a command of the cluster that the driver does not have like that. */
        void cluster(Object... words) {
            CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
            Stream.of(words).map(Object::toString).forEach(args::add);
            redis().dispatch(CommandType.CLUSTER, new StatusOutput<>(StringCodec.UTF8), args);
        }
    }

    private final RedisClient client = RedisClient.create();
    final List<Node> nodes = new ArrayList<>();

    /** @param replicas of each master: 0 or 1 */
    TestCluster(int replicas, String... more) {
        this(replicas, false, more);
    }

    /** @param tls whether clients, and nodes among themselves, use it */
    TestCluster(int replicas, boolean tls, String... more) {
        for (int i = 0; i < MASTERS * (1 + replicas); i++) {
            nodes.add(start(tls, nodeTimeout(replicas, List.of(more)), more));
        }
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).cluster("SET-CONFIG-EPOCH", i + 1);
        }
        for (int i = 0; i < MASTERS; i++) {
            nodes.get(i).cluster("ADDSLOTSRANGE", SLOTS * i / MASTERS, SLOTS * (i + 1) / MASTERS - 1);
        }
        meet();
        for (int i = MASTERS; i < nodes.size(); i++) {
            nodes.get(i).cluster("REPLICATE", nodes.get(i - MASTERS).id());
        }
        awaitInfo("cluster_state:ok");
        awaitReplicas(replicas);
    }

    /** Lets the nodes meet, and again if they have not within a time: a node forgets one that is too slow to shake hands. */
    private void meet() {
        AtomicLong last = new AtomicLong(System.nanoTime() - MEET_AGAIN_NANOS);
        Await.until("all nodes know each other", () -> {
            if (System.nanoTime() - last.get() >= MEET_AGAIN_NANOS) {
                last.set(System.nanoTime());
                Node first = nodes.get(0);
                nodes.stream().skip(1).forEach(node -> first.cluster("MEET", "127.0.0.1", node.port(), node.bus()));
            }
            return allSay("cluster_known_nodes:" + nodes.size());
        });
    }

    /** Returns a second where a test waits until a node is missed; else more than a pause of the machine. */
    private static String nodeTimeout(int replicas, List<String> more) {
        return replicas > 0 || more.contains("--cluster-require-full-coverage") ? "1000" : "5000";
    }

    private Node start(boolean tls, String nodeTimeout, String... more) {
        int bus = Ports.free();
        int secure = Ports.free();
        List<String> args = new ArrayList<>(List.of(more));
        if (tls) {
            args.addAll(List.of("--tls-cluster", "yes", "--tls-port", "" + secure));
        }
        args.addAll(List.of("--cluster-enabled", "yes", "--cluster-port", "" + bus));
        args.addAll(List.of("--cluster-node-timeout", nodeTimeout, "--repl-diskless-sync-delay", "0"));
        RedisServer server = RedisServer.start(args.toArray(String[]::new));
        RedisURI uri = RedisURI.create(server.uri());
        uri.setTimeout(Duration.ofSeconds(5));
        StatefulRedisConnection<String, String> connection = client.connect(uri);
        return new Node(server, connection.sync().clusterMyId(), tls ? secure : server.port(), bus, connection);
    }

    private void awaitInfo(String text) {
        Await.until("all nodes say " + text, () -> allSay(text));
    }

    private boolean allSay(String text) {
        return nodes.stream().allMatch(node -> node.redis().clusterInfo().contains(text));
    }

    /** Until each master has as many, and all know of them. */
    void awaitReplicas(int each) {
        Await.until(
                "all know the replicas",
                () -> nodes.stream()
                        .allMatch(node -> node.redis().clusterSlots().stream()
                                .allMatch(range -> ((List<?>) range).size() == 3 + each)));
        Await.until(
                "the replicas are up to date",
                () -> nodes.stream()
                        .map(node -> node.redis().info("replication"))
                        .allMatch(info ->
                                info.contains("master_link_status:up") || info.contains("connected_slaves:" + each)));
    }

    Stream<Node> masters() {
        return nodes.stream().limit(MASTERS);
    }

    /** On every master. */
    void each(Consumer<RedisCommands<String, String>> action) {
        masters().forEach(node -> action.accept(node.redis()));
    }

    // ---- resharding

    /** The master that has the slot, as it says itself. */
    Node keeper(int slot) {
        return keeperIfAny(slot).orElseThrow();
    }

    Optional<Node> keeperIfAny(int slot) {
        return nodes.stream().filter(node -> keeps(node, slot)).findFirst();
    }

    /** The one that began as a replica of this one. */
    Node replica(Node master) {
        return nodes.get(nodes.indexOf(master) + MASTERS);
    }

    /** Returns {@code true} if a node names another one as a master. */
    static boolean names(Node asked, Node master) {
        return asked.redis().clusterSlots().stream()
                .map(range -> (List<?>) ((List<?>) range).get(2))
                .anyMatch(named -> named.contains(master.id()));
    }

    private static boolean keeps(Node node, int slot) {
        try {
            return node.connection().isOpen()
                    && node.redis().clusterSlots().stream()
                            .map(range -> (List<?>) range)
                            .filter(range -> number(range.get(0)) <= slot && slot <= number(range.get(1)))
                            .anyMatch(range -> ((List<?>) range.get(2)).contains(node.id()));
        } catch (RedisException e) {
            LOG.info("{} does not answer: {}", node.place(), e.toString());
            return false;
        }
    }

    private static long number(Object value) {
        return (Long) value;
    }

    /** A name that it keeps. */
    String nameAt(Node node) {
        return Stream.generate(Servers::name)
                .filter(name -> keeper(KeyLayout.slot(name)).equals(node))
                .findFirst()
                .orElseThrow();
    }

    /** From now on what is not at the one any more is asked for at the other. */
    void beginMove(int slot, Node from, Node to) {
        to.cluster("SETSLOT", slot, "IMPORTING", from.id());
        from.cluster("SETSLOT", slot, "MIGRATING", to.id());
    }

    void moveKeys(Node from, Node to, Collection<String> keys) {
        if (!keys.isEmpty()) {
            from.redis().migrate("127.0.0.1", to.server().port(), 0, 5_000, new MigrateArgs<String>().keys(keys));
        }
    }

    void endMove(int slot, Node to) {
        to.cluster("SETSLOT", slot, "NODE", to.id());
        masters().filter(node -> !node.equals(to)).forEach(node -> node.cluster("SETSLOT", slot, "NODE", to.id()));
    }

    /** A slot with all that is in it. */
    void move(int slot, Node from, Node to) {
        beginMove(slot, from, to);
        moveKeys(from, to, from.redis().clusterGetKeysInSlot(slot, 1_000));
        endMove(slot, to);
    }

    String uri() {
        return masters().map(Node::place).collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.connection().close());
        client.shutdown();
        nodes.forEach(node -> node.server().close());
    }
}
