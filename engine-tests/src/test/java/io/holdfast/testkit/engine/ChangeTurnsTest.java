package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.ServerClock;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.SimulatedServer;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Faults;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that remembers one change of a counter for each client. So a client sends one after the other. */
class ChangeTurnsTest extends VirtualTime {

    private static final String SERVER = "t?limits=standard";

    private final SimulatedServer limited = sim.server(SERVER);
    private final Holdfast c = client("c", options -> options.uri("simulated:" + SERVER));
    private final DistributedLatch latch = c.countDownLatch("n");
    private final Faults faults = limited.connection(c.clientId()).faults();

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private List<SimThread> countDown(int times) {
        List<SimThread> threads = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            threads.add(start("down" + i, latch::countDown));
        }
        return threads;
    }

    @Test
    void aChangeThatIsRepeatedIsNotOvertakenByAnother() {
        assertThat(latch.trySetCount(20)).isTrue();
        faults.next(Operation.CHANGE, Fault.FAIL_AFTER);
        countDown(5).forEach(SimThread::join);
        assertThat(latch.count()).isEqualTo(15);
    }

    @Test
    void aChangeThatHasNoAnswerHoldsUpTheOthersForNoLongerThanTheirTime() {
        assertThat(latch.trySetCount(20)).isTrue();
        Held first = faults.holdReply(Operation.CHANGE);
        SimThread held = start("held", latch::countDown);
        sim.runFor(Duration.ofMillis(1_000));
        Duration began = sim.elapsed();
        SimThread other = start(
                "other",
                () -> assertThatThrownBy(latch::countDown)
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("the change before this one"));
        faults.probability(Fault.DROP_REQUEST, 1);
        other.join();
        assertThat(sim.elapsed().minus(began)).isLessThanOrEqualTo(Duration.ofMillis(2_001));
        faults.probability(Fault.DROP_REQUEST, 0);
        first.letGo();
        held.join();
        latch.countDown();
        assertThat(latch.count()).isEqualTo(18);
    }

    @Test
    void changesOfOtherCountersDoNotWait() {
        assertThat(latch.trySetCount(20)).isTrue();
        Held first = faults.holdReply(Operation.CHANGE);
        SimThread held = start("held", latch::countDown);
        sim.runFor(Duration.ofMillis(1));
        assertThat(c.countDownLatch("m").trySetCount(1)).isTrue();
        assertThat(c.semaphore("n").trySetPermits(1)).isTrue();
        first.letGo();
        held.join();
    }

    /** The time of the server is needed before anything is sent. */
    @Test
    void aChangeThatCannotBeSentDoesNotHoldUpTheNext() {
        AtomicBoolean fails = new AtomicBoolean();
        Holdfast d = client(
                "d",
                options -> options.provider(provider(config -> new ForwardingStore(server.open(config)) {
                    @Override
                    public ServerClock clock(String name) {
                        if (fails.getAndSet(false)) {
                            throw new OutOfMemoryError("simulated");
                        }
                        return super.clock(name);
                    }
                })));
        DistributedLatch other = d.countDownLatch("o");
        assertThat(other.trySetCount(2)).isTrue();
        fails.set(true);
        assertThatThrownBy(other::countDown)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("could not be sent");
        other.countDown();
        assertThat(other.count()).isEqualTo(1);
    }

    @Test
    void aChangeThatIsAlwaysTooLateFailsAfterTheCommandTimeout() {
        Holdfast d = client(
                "d",
                options -> options.provider(provider(config -> new ForwardingStore(server.open(config)) {
                    @Override
                    public ServerClock clock(String name) {
                        return new ServerClock();
                    }
                })));
        Duration began = sim.elapsed();
        assertThatThrownBy(() -> d.countDownLatch("o").trySetCount(2))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("too late: they take longer than the command timeout of 2000 ms");
        assertThat(sim.elapsed().minus(began)).isLessThanOrEqualTo(Duration.ofSeconds(4));
    }
}
