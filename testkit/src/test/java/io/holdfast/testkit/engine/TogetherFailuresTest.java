package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.MultiLock;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.check.LeakChecker;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Members that are asked for by one request which fails, is too late, or meets others. */
class TogetherFailuresTest extends VirtualTime {

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    private final MultiLock all = of(a, "1", "2", "3");

    @BeforeEach
    void firstContact() {
        Stream.of(a, b).forEach(TogetherFailuresTest::firstContact);
    }

    private static void firstContact(Holdfast client) {
        client.lock("0").lock();
        client.lock("0").unlock();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingIsLeft();
    }

    private static MultiLock of(Holdfast client, String... names) {
        return Holdfast.multiLock(Stream.of(names).map(client::lock).toList());
    }

    // ---- one member is refused

    @Test
    void whoWaitsForAMemberIsNotRefusedBecauseOfAnother() {
        DistributedLock reading = b.readWriteLock("2").readLock();
        reading.lock();
        Held request = faults(a).holdRequest(Operation.ACQUIRE);
        SimThread first = start(
                "first",
                () -> assertThatThrownBy(all::lock)
                        .isInstanceOfSatisfying(
                                StoreRefusedException.class,
                                e -> assertThat(e.lockName()).isEqualTo("2")));
        sim.runUntil(request::isCaught, LONG);
        SimThread second = start("second", () -> {
            a.lock("3").lock();
            a.lock("3").unlock();
        });
        sim.runReady();
        request.letGo();
        first.join();
        second.join();
        reading.unlock();
    }

    @Test
    void aRefusalNamesTheMemberThatIsRefusedInEveryWay() {
        DistributedLock reading = b.readWriteLock("2").readLock();
        reading.lock();
        assertThatThrownBy(all::tryLock).isInstanceOf(StoreRefusedException.class).hasMessageContaining("'2'");
        assertThatThrownBy(() -> sim.await(all.async().acquire()))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("lock '2'");
        reading.unlock();
    }
}
