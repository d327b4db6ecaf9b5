package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.crowd.Crowd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of three servers while the threads of two processes contend: in random order, as often as {@code holdfast.outages} says.
 * The seed is printed; {@code holdfast.seed} sets it.
 */
@Timeout(3_600)
class ZooKeeperCrowdTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration WORK = Duration.ofMillis(700);
    private static final Duration RECOVERY = Duration.ofSeconds(20);
    private static final int PROCESSES = 2;
    private static final int THREADS = 4;
    private static final int MIN_GRANTS = 200;
    private static final int MIN_WAITS = 50;
    private static final int ROUNDS = Integer.getInteger("holdfast.outages", 1);
    private static final long SEED = Long.getLong("holdfast.seed", System.nanoTime());

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
            Map<Fault, Integer> injected = new EnumMap<>(Fault.class);
            try (Crowd crowd = Crowd.start(ensemble.uri(session), LEASE, PROCESSES, THREADS)) {
                for (Fault fault : faults()) {
                    crowd.work(WORK);
                    System.out.println(fault);
                    inject(fault, ensemble, session, crowd);
                    long ended = System.nanoTime();
                    crowd.awaitAllServed(RECOVERY);
                    System.out.printf(
                            "%s: all are served %d ms after it%n", fault, (System.nanoTime() - ended) / 1_000_000);
                    injected.merge(fault, 1, Integer::sum);
                }
                crowd.work(WORK);
                Crowd.Outcome outcome = crowd.end();
                System.out.println(getClass().getSimpleName() + ": session " + session + ", seed " + SEED + ", "
                        + outcome + ", " + injected);
                assertThat(outcome.grants()).isGreaterThan(MIN_GRANTS * ROUNDS);
                assertThat(outcome.waits()).isGreaterThan(MIN_WAITS * ROUNDS);
                assertThat(outcome.losses())
                        .as("losses while the servers are stopped")
                        .isPositive();
            }
            assertThat(injected).hasSize(Fault.values().length);
            assertNothingIsLeft(ensemble.uri(session));
        }
    }

    private static List<Fault> faults() {
        List<Fault> faults = new ArrayList<>();
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            List<Fault> round = Arrays.asList(Fault.values());
            Collections.shuffle(round, random);
            faults.addAll(round);
        }
        return faults;
    }

    private static void inject(Fault fault, Ensemble ensemble, Duration session, Crowd crowd) throws Exception {
        Duration longer = (session.compareTo(LEASE) > 0 ? session : LEASE).plusSeconds(1);
        int leader = ensemble.leader();
        int follower = (leader + 1) % 3;
        switch (fault) {
            case LEADER_KILLED -> {
                ensemble.kill(leader);
                crowd.work(WORK);
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

    /** What a process held that was killed is free when its session has ended. */
    private static void assertNothingIsLeft(String uri) {
        try (Holdfast client = Holdfast.connect(uri)) {
            Await.until("no name is held or awaited", () -> client.list("").isEmpty());
        }
    }
}
