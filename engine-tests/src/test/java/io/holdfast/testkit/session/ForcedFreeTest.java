package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.spi.Signal;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many holds that are forced free while their client receives no messages. */
class ForcedFreeTest {

    private static final int HOLDS = 64;
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final String SERVER = "a server";

    private final Simulation time = Simulation.of(17);
    private final SessionServer server = new SessionServer(time);
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final List<String> losses = new CopyOnWriteArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final Holdfast client = open();
    private final SimulatedSessions sessions = server.lastClient();
    private final Holdfast other = open();

    private Holdfast open() {
        return server.client("forced").listener(events::add).build();
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        time.run();
        time.close();
    }

    private static DistributedLock lock(Holdfast of, int number) {
        return number % 2 == 0
                ? of.lock("n" + number)
                : of.readWriteLock("n" + number).readLock();
    }

    private void hold() {
        for (int i = 0; i < HOLDS; i++) {
            Lease lease = time.await(lock(client, i).async().acquire());
            leases.add(lease.onLost(loss -> losses.add(loss.name())));
        }
    }

    private void forceFree() {
        time.start(
                        "forces",
                        () -> IntStream.range(0, HOLDS)
                                .forEach(i ->
                                        assertThat(lock(other, i).forceUnlock()).isTrue()))
                .join();
    }

    /** Requires that each loss was reported once, to its own listener, and was counted once. */
    private void assertAllAreLost() {
        List<String> names = IntStream.range(0, HOLDS).mapToObj(i -> "n" + i).toList();
        assertThat(losses).containsExactlyInAnyOrderElementsOf(names);
        assertThat(events.stream().filter(LockEvent.Lost.class::isInstance).map(LockEvent::name))
                .containsExactlyInAnyOrderElementsOf(names);
        assertThat(client.stats().lost()).isEqualTo(HOLDS);
        assertThat(leases).noneMatch(Lease::isValid);
        time.start(
                        "closes",
                        () -> assertThat(leases)
                                .allSatisfy(lease ->
                                        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class)))
                .join();
    }

    @Test
    void notifiesAllOwnersAfterACut() {
        hold();
        sessions.deliver(new Signal.Down(SERVER), 0);
        sessions.cut(true);
        sessions.loseMessages(true);
        forceFree();
        time.runFor(MOMENT);
        assertThat(losses).isEmpty();
        sessions.cut(false);
        sessions.loseMessages(false);
        sessions.deliver(new Signal.Gap(), 0);
        sessions.deliver(new Signal.Up(SERVER, ""), 0);
        time.runFor(MOMENT);
        assertAllAreLost();
    }

    @Test
    void notifiesAllOwnersAfterASuspend() {
        hold();
        sessions.loseMessages(true);
        forceFree();
        time.suspend(SessionServer.SESSION.dividedBy(2));
        sessions.loseMessages(false);
        time.runFor(MOMENT.multipliedBy(2));
        assertAllAreLost();
    }
}
