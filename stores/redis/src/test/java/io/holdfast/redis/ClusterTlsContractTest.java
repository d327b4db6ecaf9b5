package io.holdfast.redis;

import io.holdfast.Safety;
import io.holdfast.testkit.cluster.Certificates;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreHarness;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of all stores, with a cluster of three masters, over TLS with certificates on both sides, and as a user who may do no more
 * than has to be.
 */
@Tag("ci")
class ClusterTlsContractTest extends StoreContract {

    @TempDir
    static Path folder;

    private static TestCluster cluster;
    private static String uri;

    @BeforeAll
    static void start() {
        Certificates certificates = new Certificates(folder);
        certificates.signed("server", "-ext", "san=ip:127.0.0.1");
        certificates.signed("client");
        cluster = new TestCluster(0, true, Servers.tls(certificates, "yes"));
        cluster.each(redis -> Servers.allow(redis, "app", MinimalRights.with(TestCluster.RIGHTS)));
        uri = cluster.uri().replace("redis-cluster://", "rediss-cluster://app:secret@") + "?"
                + certificates.ofClient("client");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    protected StoreHarness newHarness() {
        return new RedisHarness(
                uri, cluster.masters().map(TestCluster.Node::redis).toList(), Safety.async());
    }
}
