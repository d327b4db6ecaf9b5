package io.holdfast.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** The leader election of Spring Integration, with two processes' worth of clients. */
@Timeout(180)
class LeaderTest extends RedisRules {

    private static final String ROLE = "shipper";

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final List<LockRegistryLeaderInitiator> initiators = new ArrayList<>();

    @AfterEach
    void stopAll() throws Exception {
        for (LockRegistryLeaderInitiator initiator : initiators) {
            initiator.destroy();
        }
    }

    @Test
    void aSecondCandidateTakesOverWhenTheLeaderStops() throws Exception {
        LockRegistryLeaderInitiator first = start("first", here);
        assertThat(next()).isEqualTo("first leads");
        LockRegistryLeaderInitiator second = start("second", there);
        assertThat(events.poll(300, TimeUnit.MILLISECONDS)).isNull();
        assertThat(second.getContext().isLeader()).isFalse();

        first.stop();

        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("first ends", "second leads");
        assertThat(second.getContext().isLeader()).isTrue();
    }

    @Test
    void aLeaderWhoseLockIsLostEndsBeforeItLeadsAgain() throws Exception {
        start("first", here);
        assertThat(next()).isEqualTo("first leads");
        there.obtain(ROLE).forceUnlock();
        assertThat(next()).isEqualTo("first ends");
        assertThat(next()).isEqualTo("first leads");
    }

    private LockRegistryLeaderInitiator start(String id, HoldfastLockRegistry registry) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(registry, new DefaultCandidate(id, ROLE));
        initiator.setHeartBeatMillis(100);
        initiator.setBusyWaitMillis(50);
        initiator.setLeaderEventPublisher(new Recorder(id));
        initiators.add(initiator);
        initiator.start();
        return initiator;
    }

    private String next() throws InterruptedException {
        String event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).as("the next event of the election").isNotNull();
        return event;
    }

    private final class Recorder implements LeaderEventPublisher {

        private final String id;

        Recorder(String id) {
            this.id = id;
        }

        @Override
        public void publishOnGranted(Object source, Context context, String role) {
            events.add(id + " leads");
        }

        @Override
        public void publishOnRevoked(Object source, Context context, String role) {
            events.add(id + " ends");
        }

        @Override
        public void publishOnFailedToAcquire(Object source, Context context, String role) {
            events.add(id + " failed");
        }
    }
}
