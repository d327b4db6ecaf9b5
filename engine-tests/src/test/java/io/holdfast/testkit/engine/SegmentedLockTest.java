package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which segment is taken, by those who do not wait. */
class SegmentedLockTest extends VirtualTime {

    private final SegmentedLock stock = SegmentedLock.of(a, "stock", 8);
    private final List<Lease> others = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        others.forEach(Lease::close);
        assertNothingIsLeft();
    }

    private void holdElsewhere(int... segments) {
        for (int segment : segments) {
            others.add(SegmentedLock.of(b, "stock", 8)
                    .segment(segment)
                    .tryAcquire()
                    .orElseThrow());
        }
    }

    private SegmentLease take(SegmentedLock from) {
        return from.tryAcquireAny().orElseThrow();
    }

    private Set<Integer> taken(SegmentedLock from, int times) {
        Set<Integer> taken = new TreeSet<>();
        for (int i = 0; i < times; i++) {
            try (SegmentLease lease = take(from)) {
                taken.add(lease.segment());
            }
        }
        return taken;
    }

    @Test
    void eachSegmentIsALockWithANameOfItsOwn() {
        assertThat(stock.name()).isEqualTo("stock");
        assertThat(stock.segments()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(stock.segment(3)).isEqualTo(a.lock("stock#3"));
        try (SegmentLease lease = take(stock)) {
            assertThat(lease.name()).isEqualTo("stock#" + lease.segment());
            assertThat(b.lock(lease.name()).isLocked()).isTrue();
        }
    }

    @Test
    void aFreeSegmentCostsOneStoreCallAndItsReleaseAnother() {
        take(stock).close();
        long before = calls(a);
        take(stock).close();
        assertThat(calls(a) - before).isEqualTo(2);
    }

    @Test
    void itMovesOnToTheOneThatIsFree() {
        holdElsewhere(0, 1, 2, 3, 4, 6, 7);
        long before = calls(a);
        for (int i = 0; i < 20; i++) {
            try (SegmentLease lease = take(stock)) {
                assertThat(lease.segment()).isEqualTo(5);
            }
        }
        assertThat(calls(a) - before).isBetween(60L, 20 * (8L + 1));
    }

    @Test
    void whoWouldWaitTakesTheOneThatIsFree() throws InterruptedException {
        holdElsewhere(0, 1, 2, 3, 4, 6, 7);
        try (SegmentLease lease = stock.acquireAny(LONG)) {
            assertThat(lease.segment()).isEqualTo(5);
        }
        try (SegmentLease lease = stock.tryAcquireAny(LONG).orElseThrow()) {
            assertThat(lease.segment()).isEqualTo(5);
        }
    }

    @Test
    void whatThisProcessHoldsIsSkippedWithoutAStoreCall() {
        for (int i = 0; i < 7; i++) {
            others.add(take(stock));
        }
        long before = calls(a);
        others.add(take(stock));
        assertThat(calls(a) - before).isEqualTo(1);
        assertThat(stock.tryAcquireAny()).isEmpty();
        assertThat(calls(a) - before).isEqualTo(1);
        assertThat(others).extracting(Lease::name).doesNotHaveDuplicates();
    }

    @Test
    void whenAllAreHeldEachIsAskedOnce() {
        take(stock).close();
        holdElsewhere(0, 1, 2, 3, 4, 5, 6, 7);
        long before = calls(a);
        assertThat(stock.tryAcquireAny()).isEmpty();
        assertThat(calls(a) - before).isEqualTo(8);
    }

    @Test
    void itBeginsAnywhere() {
        assertThat(taken(stock, 80)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void itBeginsWhereItIsToldToAndGoesOnInOrder() {
        SegmentedLock mine = stock.startingAt(6, 7);
        assertThat(taken(mine, 40)).containsExactly(6, 7);
        holdElsewhere(6, 7, 0);
        assertThat(taken(mine, 10)).containsExactly(1);
        assertThat(mine.segments()).hasSize(8);
        assertThat(taken(mine.startingAt(), 80)).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void theUselessAreLeftOut() {
        assertThat(taken(stock.without(0, 1, 2).without(2, 7), 60)).containsExactly(3, 4, 5, 6);
        assertThat(taken(stock.startingAt(2).without(2), 80))
                .as("as the first is left out, it begins anywhere")
                .containsExactly(0, 1, 3, 4, 5, 6, 7);
        assertThat(taken(stock.without(2).startingAt(2, 3), 20)).containsExactly(3);
        assertThat(stock.segments()).hasSize(8);
        assertThat(stock.without(5).segment(5).name()).isEqualTo("stock#5");
    }

    @Test
    void whoFindsNothingMovesOnUntilNoneIsLeft() throws InterruptedException {
        List<Integer> visited = new ArrayList<>();
        SegmentedLock left = stock;
        while (!left.segments().isEmpty()) {
            try (SegmentLease lease = left.acquireAny()) {
                visited.add(lease.segment());
                left = left.without(lease.segment());
            }
        }
        assertThat(visited).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        SegmentedLock none = left;
        long before = calls(a);
        assertThat(none.tryAcquireAny()).isEmpty();
        assertThat(none.tryAcquireAny(LONG)).isEmpty();
        assertThat(sim.await(none.async().tryAcquireAny(LONG))).isEmpty();
        assertThatThrownBy(none::acquireAny)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'stock': no segment remains, all 8");
        assertThatThrownBy(() -> none.acquireAny(LONG)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> none.async().acquireAny()).isInstanceOf(IllegalStateException.class);
        assertThat(calls(a)).isEqualTo(before);
    }

    @Test
    void usersWithOtherNumbersShareTheSegmentsThatBothHave() {
        SegmentedLock few = SegmentedLock.of(b, "stock", 2);
        others.add(take(few));
        others.add(take(few));
        assertThat(taken(stock, 60)).containsExactly(2, 3, 4, 5, 6, 7);
        b.lock("stock").lock();
        take(stock).close();
        b.lock("stock").unlock();
    }

    @Test
    void tokensRiseForEachSegment() {
        long[] last = new long[8];
        for (int i = 0; i < 80; i++) {
            try (SegmentLease lease = take(i % 2 == 0 ? stock : SegmentedLock.of(b, "stock", 8))) {
                assertThat(lease.fencingToken()).isGreaterThan(last[lease.segment()]);
                last[lease.segment()] = lease.fencingToken();
            }
        }
    }

    @Test
    void itsLeaseIsALeaseLikeOthers() {
        List<String> lost = new ArrayList<>();
        SegmentLease lease = take(stock.startingAt(4)).onLost(loss -> lost.add(loss.name()));
        assertThat(lease.segment()).isEqualTo(4);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remainingLease()).isGreaterThan(LEASE.minusSeconds(1));
        lease.ensureValid(Duration.ofSeconds(5));
        assertThatThrownBy(() -> lease.extend(LEASE)).hasMessageContaining("the watchdog renews this lease");
        assertThat(lease.toString()).startsWith("segment 4: lease of lock 'stock#4', token " + lease.fencingToken());
        sim.runFor(LEASE.multipliedBy(3));
        assertThat(lease.isValid()).as("renewed").isTrue();
        b.lock("stock#4").forceUnlock();
        sim.runFor(Duration.ofMillis(10));
        assertThat(lost).containsExactly("stock#4");
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        sim.await(take(stock).closeAsync());
    }

    @Test
    void optionsAreThoseOfTheSegments() {
        SegmentedLock brief =
                SegmentedLock.of(a, "brief", 2, LockOptions.defaults().withLease(Duration.ofSeconds(1)));
        try (SegmentLease lease = take(brief)) {
            assertThat(lease.remainingLease()).isLessThan(Duration.ofSeconds(1));
        }
    }

    @Test
    void badInputIsRefusedAtTheCall() {
        for (int bad : new int[] {0, -1, 1025}) {
            refused(
                    () -> SegmentedLock.of(a, "stock", bad),
                    "'stock': " + bad + " segments are out of range: 1 to 1024");
        }
        refused(() -> SegmentedLock.of(a, "", 8), "0 bytes");
        refused(() -> SegmentedLock.of(a, "x".repeat(510), 11), "leaves no room for '#10'");
        assertThat(SegmentedLock.of(a, "x".repeat(510), 10).segments()).hasSize(10);
        assertThat(SegmentedLock.of(a, "stock", 1024).segments()).hasSize(1024);
        refused(() -> stock.segment(8), "'stock' has no segment 8: there are 0 to 7");
        refused(() -> stock.without(0, -1), "no segment -1");
        refused(() -> stock.startingAt(8), "no segment 8");
    }

    private static void refused(Runnable call, String why) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aClosedClientRefuses() {
        Holdfast c = client("c");
        SegmentedLock left = SegmentedLock.of(c, "stock", 8);
        c.close();
        assertThatThrownBy(() -> SegmentedLock.of(c, "stock", 8)).hasMessageContaining("client c is closed");
        assertThatThrownBy(left::tryAcquireAny).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(left::acquireAny).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.async().acquireAny()).isInstanceOf(IllegalStateException.class);
    }
}
