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
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The master of a group is killed while six threads of two clients contend for two names. */
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

    /** What the server that takes over has not seen is lost with the one that was killed; what a replica must have is not. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void everybodyIsServedAgain(int replicas) {
        try (SentinelGroup group = new SentinelGroup();
                Crowd crowd = new Crowd(group.uri(), LEASE, client -> new Safe(new Safety(replicas)))) {
            for (int i = 0; i < FAILOVERS; i++) {
                crowd.work(Duration.ofMillis(700));
                RedisServer killed = fail(group, crowd, replicas);
                if (i + 1 < FAILOVERS) {
                    killed.restart();
                    group.awaitReplicas();
                }
            }
            crowd.work(Duration.ofMillis(700));
            crowd.stop();
            List<HistoryChecker.Violation> wrong = crowd.history().violations(System.nanoTime());
            LOG.info("{} replicas: {} turns, {}", replicas, crowd.turns().size(), wrong);
            crowd.assertErrorsWereForeseen();
            assertThat(wrong).noneMatch(violation -> violation.kind() == Kind.SILENT_LOSS);
            if (replicas > 0) {
                assertThat(wrong).isEmpty();
            }
        }
    }

    private static RedisServer fail(SentinelGroup group, Crowd crowd, int replicas) {
        RedisServer master = group.master();
        long killed = System.nanoTime();
        master.kill();
        Await.until("another one is the master", () -> group.master() != master);
        long promoted = System.nanoTime();
        crowd.healthyAgain();
        long healthy = System.nanoTime();
        LOG.info(
                "{} replicas: another master after {} ms, all served again {} ms later",
                replicas,
                (promoted - killed) / 1_000_000,
                (healthy - promoted) / 1_000_000);
        return master;
    }
}
