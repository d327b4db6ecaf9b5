package io.holdfast.testkit.cluster;

import io.holdfast.testkit.crowd.Crowd;
import io.holdfast.testkit.crowd.FaultRounds;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of three servers with sessions, as {@link FaultRounds} injects them. */
@Timeout(3_600)
public abstract class ClusterCrowdRules {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration SHORT_SESSION = Duration.ofSeconds(2);
    private static final Duration LONG_SESSION = Duration.ofSeconds(6);
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    /** A fault. */
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

    /** Creates the rules. */
    protected ClusterCrowdRules() {}

    /** Starts three servers. */
    protected abstract Cluster newCluster();

    /** Each renewal is written. */
    @Test
    void noPromiseIsBrokenWithASessionThatIsShorterThanTheLease() throws Exception {
        check(SHORT_SESSION);
    }

    /** The session keeps the leases. */
    @Test
    void noPromiseIsBrokenWithASessionThatIsLongerThanTheLease() throws Exception {
        check(LONG_SESSION);
    }

    private void check(Duration session) throws Exception {
        try (Cluster cluster = newCluster()) {
            String uri = cluster.uri(session);
            new FaultRounds(uri, uri, LEASE, RECOVERY)
                    .run(Fault.class, (fault, crowd) -> inject(fault, cluster, session, crowd));
        }
    }

    private static void inject(Fault fault, Cluster cluster, Duration session, Crowd crowd) throws Exception {
        Duration longer = (session.compareTo(LEASE) > 0 ? session : LEASE).plusSeconds(1);
        int leader = cluster.leader();
        int follower = (leader + 1) % cluster.size();
        switch (fault) {
            case LEADER_KILLED -> {
                cluster.kill(leader);
                crowd.work(FaultRounds.WORK);
                cluster.start(leader);
            }
            case MAJORITY_KILLED -> {
                cluster.kill(leader);
                cluster.kill(follower);
                crowd.work(longer);
                cluster.start(leader);
                cluster.start(follower);
                cluster.awaitLeader();
            }
            case LEADER_STOPPED -> stop(cluster, longer, crowd, leader);
            case FOLLOWER_STOPPED -> stop(cluster, longer, crowd, follower);
            case ALL_STOPPED -> stop(cluster, longer, crowd, 0, 1, 2);
            case CLIENT_KILLED -> crowd.killOne();
        }
        cluster.awaitLeader();
    }

    private static void stop(Cluster cluster, Duration time, Crowd crowd, int... servers) {
        Arrays.stream(servers).forEach(cluster::pause);
        crowd.work(time);
        Arrays.stream(servers).forEach(cluster::resume);
    }
}
