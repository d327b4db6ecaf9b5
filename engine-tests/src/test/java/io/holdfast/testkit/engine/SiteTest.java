package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockReport;
import io.holdfast.recipes.MultiLock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where a hold was acquired, and what its owner does now. */
@Tag("everywhere")
class SiteTest extends VirtualTime {

    private static final Duration MAX_HOLD = Duration.ofSeconds(5);

    private final Holdfast recording =
            client("recording", options -> options.recordPlaces().maxHold(MAX_HOLD));
    private final Holdfast silent = client("silent", options -> options.maxHold(MAX_HOLD));

    // ---- of threads that have ended

    @Test
    void eachOfTwoPlacesThatLookAlikeIsToldAsItself() {
        abandon("a", SiteTest::first);
        abandon("b", SiteTest::second);
        abandon("c", SiteTest::first);
        sim.runFor(Duration.ofSeconds(60));

        List<LockEvent.Abandoned> abandoned = events(LockEvent.Abandoned.class);
        assertThat(abandoned).hasSize(3).allSatisfy(event -> {
            String method = event.name().equals("b") ? "second" : "first";
            assertThat(event.acquiredAt().split(" < ", -1)[0]).contains("SiteTest." + method + "(SiteTest.java:");
        });
    }

    @Test
    void membersOfAMultiLockHaveTheirPlace() {
        start(
                        "dying",
                        () -> MultiLock.of(recording.lock("1"), recording.lock("2"))
                                .lock())
                .join();
        sim.runFor(Duration.ofSeconds(60));
        assertThat(events(LockEvent.Abandoned.class))
                .hasSize(2)
                .allSatisfy(event -> assertThat(event.acquiredAt()).contains("SiteTest."));
    }

    @Test
    void whatIsNotRecordedIsSaidNotToBe() {
        start("dying", () -> silent.lock("n").lock()).join();
        sim.runFor(Duration.ofSeconds(60));
        assertThat(events(LockEvent.Abandoned.class))
                .singleElement()
                .satisfies(
                        event -> assertThat(event.acquiredAt()).isEqualTo("not recorded, because recordPlaces is off"));
    }

    private void abandon(String name, Consumer<DistributedLock> way) {
        DistributedLock lock = recording.lock(name);
        start("dying " + name, () -> way.accept(lock));
        sim.runFor(Duration.ofSeconds(4));
    }

    private static void first(DistributedLock lock) {
        lock.lock();
    }

    private static void second(DistributedLock lock) {
        lock.lock();
    }

    // ---- of owners that are there

    private Optional<String> place(String name) {
        return b.inspect(name).holder().flatMap(LockReport.Holder::place);
    }

    @Test
    void aThreadIsShownWithWhatItDoesNow() {
        DistributedLock lock = silent.lock("n");
        var owner = start("owner", () -> {
            first(lock);
            sleeps();
            lock.unlock();
        });
        sim.runFor(Duration.ofSeconds(1));
        assertThat(place("n"))
                .hasValueSatisfying(place -> assertThat(place)
                        .startsWith("now at ")
                        .contains("now at io.holdfast.testkit.engine.SiteTest.sleeps(SiteTest.java:")
                        .doesNotContain("SiteTest.first", "io.holdfast.internal"));
        sim.runUntil(owner::done, LONG);
        owner.join();
    }

    private void sleeps() {
        sim.sleep(Duration.ofSeconds(3));
    }

    @Test
    void aLeaseIsShownWithWhereItWasTakenIfThatIsRecorded() throws InterruptedException {
        for (Lease lease : List.of(leased(), leasedLater())) {
            assertThat(place(lease.name()))
                    .hasValueSatisfying(place ->
                            assertThat(place).startsWith("acquired at ").contains("SiteTest.leased"));
            sim.runFor(MAX_HOLD.plusSeconds(1));
            lease.close();
        }
        assertThat(events(LockEvent.HeldTooLong.class))
                .hasSize(2)
                .allSatisfy(event ->
                        assertThat(event.stack()).startsWith("acquired at ").contains("SiteTest.leased"));
    }

    private Lease leased() throws InterruptedException {
        return recording.lock("at once").acquire();
    }

    private Lease leasedLater() {
        return sim.await(recording.lock("later").async().acquire());
    }

    @Test
    void ofALeaseNothingIsRecordedUnlessItIsWanted() throws InterruptedException {
        Lease lease = silent.lock("n").acquire();
        assertThat(place("n")).isEmpty();
        sim.runFor(MAX_HOLD.plusSeconds(1));
        assertThat(events(LockEvent.HeldTooLong.class))
                .singleElement()
                .satisfies(event -> assertThat(event.stack())
                        .isEqualTo("acquired at a call site that is not recorded, because recordPlaces is off"));
        lease.close();
    }
}
