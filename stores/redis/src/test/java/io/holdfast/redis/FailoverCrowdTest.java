package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Safety;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.redis.script.KeyLayout;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.check.HistoryChecker.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The master of a group, or of a part of a cluster, is killed while six threads of two clients contend for two names. */
@Tag("night")
class FailoverCrowdTest {

    private static final Logger LOG = LoggerFactory.getLogger(FailoverCrowdTest.class);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration WORK = Duration.ofMillis(700);
    private static final int THREADS = 4;
    private static final int FAILOVERS = Integer.getInteger("holdfast.failovers", 1);

    /** Servers of which one has the names, until it is killed and another one has them. */
    private interface Group extends AutoCloseable {

        String uri();

        /** Empty while there is none. */
        Optional<RedisServer> master();

        /** Has the one that was killed follow the one that took its place. */
        void restore(RedisServer killed);

        @Override
        void close();
    }

    private static Group sentinels() {
        SentinelGroup group = new SentinelGroup();
        return new Group() {
            @Override
            public String uri() {
                return group.uri();
            }

            @Override
            public Optional<RedisServer> master() {
                return group.agreed();
            }

            @Override
            public void restore(RedisServer killed) {
                killed.restart();
                group.awaitReplicas();
            }

            @Override
            public void close() {
                group.close();
            }
        };
    }

    private static Group cluster() {
        TestCluster cluster = new TestCluster(1);
        int slot = KeyLayout.slot("n0");
        return new Group() {
            @Override
            public String uri() {
                return cluster.uri();
            }

            @Override
            public Optional<RedisServer> master() {
                return cluster.keeperIfAny(slot).map(TestCluster.Node::server);
            }

            @Override
            public void restore(RedisServer killed) {
                killed.restart();
                cluster.awaitReplicas(1);
            }

            @Override
            public void close() {
                cluster.close();
            }
        };
    }

    /** What the server that takes over has not seen is lost with the one that was killed; what a replica must have is not. */
    @ParameterizedTest
    @CsvSource({"sentinels, 0", "sentinels, 1", "cluster, 0", "cluster, 1"})
    void everybodyIsServedAgain(String kind, int replicas) throws Exception {
        Safety safety = new Safety(replicas, false);
        try (Group group = kind.equals("cluster") ? cluster() : sentinels();
                CrowdProcess one = new CrowdProcess(group.uri(), LEASE, THREADS, safety);
                CrowdProcess other = new CrowdProcess(group.uri(), LEASE, THREADS, safety)) {
            List<CrowdProcess> crowds = List.of(one, other);
            Await.until(
                    "all have begun",
                    () -> crowds.stream()
                            .allMatch(crowd -> crowd.served().stream().allMatch(n -> n > 0)));
            awaitAllServed(crowds);
            for (int i = 0; i < FAILOVERS; i++) {
                Crowd.pass(WORK);
                // in the cluster a master has one replica, and is one without any until the killed one is back
                boolean first = kind.equals("cluster") && replicas > 0;
                RedisServer killed = fail(group, crowds, kind + ", " + safety, first);
                if (!first && i + 1 < FAILOVERS) {
                    group.restore(killed);
                }
            }
            Crowd.pass(WORK);
            HistoryChecker history = new HistoryChecker();
            int turns = one.end(history) + other.end(history);
            List<HistoryChecker.Violation> wrong = history.violations(System.nanoTime());
            LOG.info("{}, {}: {} turns, {}", kind, safety, turns, wrong);
            assertThat(wrong).noneMatch(violation -> violation.kind() == Kind.SILENT_LOSS);
            if (replicas > 0) {
                assertThat(wrong).isEmpty();
            }
        }
    }

    private static void awaitAllServed(List<CrowdProcess> crowds) {
        Crowd.awaitAllServed(
                () -> crowds.stream().flatMap(crowd -> crowd.served().stream()).toList(),
                LEASE,
                () -> "see its errors");
    }

    private static RedisServer fail(Group group, List<CrowdProcess> crowds, String what, boolean restoreFirst) {
        RedisServer master = group.master().orElseThrow();
        long killed = System.nanoTime();
        master.kill();
        Await.until(
                "another one is the master",
                () -> group.master().filter(one -> one != master).isPresent());
        long promoted = System.nanoTime();
        if (restoreFirst) {
            group.restore(master);
        }
        long restored = System.nanoTime();
        awaitAllServed(crowds);
        long healthy = System.nanoTime();
        LOG.info(
                "{}: another master after {} ms, all served again {} ms later{}",
                what,
                (promoted - killed) / 1_000_000,
                (healthy - restored) / 1_000_000,
                restoreFirst ? ", when it had a replica, which took " + (restored - promoted) / 1_000_000 + " ms" : "");
        return master;
    }
}
