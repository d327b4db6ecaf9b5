package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Safety;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.check.HistoryChecker;
import io.holdfast.testkit.check.HistoryChecker.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The master of a group, or of a part of a cluster, is killed while six threads of two clients contend for two names. */
@Tag("once")
class FailoverCrowdTest {

    private static final Logger LOG = LoggerFactory.getLogger(FailoverCrowdTest.class);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int FAILOVERS = Integer.getInteger("holdfast.failovers", 1);

    private record Safe(Safety safety) implements StoreProvider {

        @Override
        public Set<String> schemes() {
            return Set.of();
        }

        @Override
        public LockStore open(StoreConfig config) {
            return new RedisStoreProvider().open(config.withSafety(safety));
        }
    }

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
                return Optional.of(group.master());
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
        int slot = Layout.slot("n0");
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
    void everybodyIsServedAgain(String kind, int replicas) {
        try (Group group = kind.equals("cluster") ? cluster() : sentinels();
                Crowd crowd = new Crowd(group.uri(), LEASE, client -> new Safe(new Safety(replicas, false)))) {
            for (int i = 0; i < FAILOVERS; i++) {
                crowd.work(Duration.ofMillis(700));
                // in the cluster a master has one replica, and is one without any until the killed one is back
                boolean first = kind.equals("cluster") && replicas > 0;
                RedisServer killed = fail(group, crowd, kind + ", " + replicas + " replicas", first);
                if (!first && i + 1 < FAILOVERS) {
                    group.restore(killed);
                }
            }
            crowd.work(Duration.ofMillis(700));
            crowd.stop();
            List<HistoryChecker.Violation> wrong = crowd.history().violations(System.nanoTime());
            LOG.info(
                    "{}, {} replicas: {} turns, {}",
                    kind,
                    replicas,
                    crowd.turns().size(),
                    wrong);
            crowd.assertErrorsWereForeseen();
            assertThat(wrong).noneMatch(violation -> violation.kind() == Kind.SILENT_LOSS);
            if (replicas > 0) {
                assertThat(wrong).isEmpty();
            }
        }
    }

    private static RedisServer fail(Group group, Crowd crowd, String what, boolean restoreFirst) {
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
        crowd.healthyAgain();
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
