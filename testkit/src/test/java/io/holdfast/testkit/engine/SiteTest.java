package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockEvent;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Where a hold that nobody will release was acquired. */
class SiteTest extends VirtualTime {

    @Test
    void eachOfTwoPlacesThatLookAlikeIsToldAsItself() {
        abandon("a", SiteTest::first);
        abandon("b", SiteTest::second);
        abandon("c", SiteTest::first);
        sim.runFor(Duration.ofSeconds(60));

        List<LockEvent.Abandoned> abandoned = events(LockEvent.Abandoned.class);
        assertThat(abandoned).hasSize(3).allSatisfy(event -> {
            String method = event.lockName().equals("b") ? "second" : "first";
            assertThat(event.acquiredAt().split(" < ", -1)[0]).contains("SiteTest." + method + "(SiteTest.java:");
        });
    }

    private void abandon(String name, Consumer<DistributedLock> way) {
        DistributedLock lock = a.lock(name);
        faults(a).next(Operation.ACQUIRE, Fault.DELAY_REPLY);
        start("dying " + name, () -> way.accept(lock));
        sim.runFor(Duration.ofSeconds(4));
    }

    private static void first(DistributedLock lock) {
        lock.lock();
    }

    private static void second(DistributedLock lock) {
        lock.lock();
    }
}
