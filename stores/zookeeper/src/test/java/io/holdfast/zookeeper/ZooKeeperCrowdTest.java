package io.holdfast.zookeeper;

import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.FaultRounds;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of three servers, as {@link FaultRounds} injects them. */
@Timeout(3_600)
class ZooKeeperCrowdTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration RECOVERY = Duration.ofSeconds(20);

    private enum Fault {
        /** The leader is killed, and started again. */
        LEADER_KILLED,
        /** Two of three servers are killed, and started again. */
        MAJORITY_KILLED,
        /** The leader is stopped for longer than a lease and a session. */
        LEADER_STOPPED,
        /** All servers are stopped for longer than a lease and a session. */
        ALL_STOPPED,
        /** A follower is stopped for longer than a lease and a session. */
        FOLLOWER_STOPPED,
        /** A process that holds a lock is killed. */
        CLIENT_KILLED
    }

    /** A lease is kept by the session if it is not shorter; otherwise each renewal is written. */
    @ParameterizedTest
    @ValueSource(ints = {2, 6})
    void noPromiseIsBroken(int sessionSeconds) throws Exception {
        Duration session = Duration.ofSeconds(sessionSeconds);
        try (Ensemble ensemble = new Ensemble(3)) {
            new FaultRounds("ZooKeeper, session " + session, ensemble.uri(session), LEASE, RECOVERY)
                    .run(Fault.class, (fault, crowd) -> inject(fault, ensemble, session, crowd));
        }
    }

    private static void inject(Fault fault, Ensemble ensemble, Duration session, Crowd crowd) throws Exception {
        Duration longer = (session.compareTo(LEASE) > 0 ? session : LEASE).plusSeconds(1);
        int leader = ensemble.leader();
        int follower = (leader + 1) % 3;
        switch (fault) {
            case LEADER_KILLED -> {
                ensemble.kill(leader);
                crowd.work(FaultRounds.WORK);
                ensemble.start(leader);
            }
            case MAJORITY_KILLED -> {
                ensemble.kill(leader);
                ensemble.kill(follower);
                crowd.work(longer);
                ensemble.start(leader);
                ensemble.start(follower);
                ensemble.awaitLeader();
            }
            case LEADER_STOPPED -> stop(ensemble, longer, crowd, leader);
            case FOLLOWER_STOPPED -> stop(ensemble, longer, crowd, follower);
            case ALL_STOPPED -> stop(ensemble, longer, crowd, 0, 1, 2);
            case CLIENT_KILLED -> crowd.killOne();
        }
        ensemble.awaitLeader();
    }

    private static void stop(Ensemble ensemble, Duration time, Crowd crowd, int... servers) {
        Arrays.stream(servers).forEach(ensemble::pause);
        crowd.work(time);
        Arrays.stream(servers).forEach(ensemble::resume);
    }
}
