package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.cluster.Certificates;
import io.holdfast.testkit.cluster.Ports;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The rules of all stores on each topology, with and without TLS, as any user and as one with no more rights than needed. */
@Tag("night")
class TopologiesContractTest {

    @TempDir
    static Path folder;

    private static final Deque<AutoCloseable> STARTED = new ArrayDeque<>();
    private static Certificates certificates;

    /** Where the locks are, and who looks into it. */
    private record Place(String name, String uri, List<RedisCommands<String, String>> servers, List<String> more) {

        /** As the user with few rights. */
        Place limited() {
            servers.forEach(redis -> Servers.allow(redis, "app", MinimalRights.with(more.toArray(String[]::new))));
            return new Place(name + ", few rights", uri.replace("://", "://app:secret@"), servers, more);
        }
    }

    @BeforeAll
    static void certify() {
        certificates = new Certificates(folder);
        certificates.signed("server", "-ext", "san=ip:127.0.0.1");
        certificates.signed("client");
    }

    @AfterAll
    static void stop() throws Exception {
        while (!STARTED.isEmpty()) {
            STARTED.pop().close();
        }
    }

    @TestFactory
    Stream<DynamicContainer> product() {
        return Stream.of(single(false), single(true), group(false), group(true), cluster(false), cluster(true))
                .flatMap(place -> Stream.of(place, place.limited()))
                .map(place -> DynamicContainer.dynamicContainer(place.name, rules(place)));
    }

    private static Stream<DynamicContainer> rules(Place place) {
        return new StoreContract() {
            @Override
            protected StoreHarness newHarness() {
                return new RedisHarness(place.uri, place.servers, Safety.async());
            }
        }.rules();
    }

    private static <T extends AutoCloseable> T started(T some) {
        STARTED.push(some);
        return some;
    }

    private static String[] ofServer(boolean tls) {
        return tls ? Servers.tls(certificates, "yes") : new String[0];
    }

    private static String secured(String uri, boolean tls) {
        return tls ? uri.replaceFirst("redis", "rediss") + "?" + certificates.ofClient("client") : uri;
    }

    private static Place single(boolean tls) {
        int port = Ports.free();
        Servers servers = started(
                tls
                        ? Servers.start(Stream.concat(Stream.of("--tls-port", "" + port), Stream.of(ofServer(true)))
                                .toArray(String[]::new))
                        : Servers.start());
        String uri = tls ? Servers.uri(port) : servers.uri();
        return new Place("one server" + (tls ? ", TLS" : ""), secured(uri, tls), List.of(servers.redis), List.of());
    }

    private static Place group(boolean tls) {
        SentinelGroup group = started(new SentinelGroup(ofServer(tls)));
        RedisClient client = RedisClient.create(group.master().uri());
        started(client::shutdown);
        StatefulRedisConnection<String, String> master = started(client.connect());
        return new Place(
                "Sentinels" + (tls ? ", TLS" : ""), secured(group.uri(), tls), List.of(master.sync()), List.of());
    }

    private static Place cluster(boolean tls) {
        TestCluster cluster = started(new TestCluster(0, tls, ofServer(tls)));
        return new Place(
                "cluster" + (tls ? ", TLS" : ""),
                secured(cluster.uri(), tls),
                cluster.masters().map(TestCluster.Node::redis).toList(),
                List.of(TestCluster.RIGHTS));
    }
}
