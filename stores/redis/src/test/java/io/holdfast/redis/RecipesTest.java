package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.StoreRefusedException;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is composed of locks, on a real server. */
@Tag("everywhere")
class RecipesTest {

    private static final int SEGMENTS = 4;

    private final Servers servers = Servers.shared();
    private final Holdfast a = Holdfast.connect(servers.uri());
    private final Holdfast b = Holdfast.connect(servers.uri());
    private final String name = Servers.name();

    @AfterEach
    void close() {
        a.close();
        b.close();
        assertThat(servers.keysOf(name)).isEmpty();
    }

    @Test
    void anySegmentThatIsFreeIsTakenAndAwaited() throws Exception {
        SegmentedLock mine = SegmentedLock.of(a, name, SEGMENTS);
        List<SegmentLease> held = new ArrayList<>();
        for (int i = 0; i < SEGMENTS; i++) {
            held.add((i % 2 == 0 ? mine : SegmentedLock.of(b, name, SEGMENTS)).acquireAny(Duration.ZERO));
        }
        assertThat(held).extracting(SegmentLease::segment).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(servers.redis.exists(name + "#0", name + "#1", name + "#2", name + "#3"))
                .isEqualTo(SEGMENTS);
        assertThat(mine.tryAcquireAny()).isEmpty();
        CompletableFuture<SegmentLease> waits = mine.async().acquireAny();
        SegmentLease freed = held.remove(1);
        freed.close();
        SegmentLease next = Await.reply(waits);
        assertThat(next.segment()).isEqualTo(freed.segment());
        assertThat(next.fencingToken()).isGreaterThan(freed.fencingToken());
        next.close();
        held.forEach(SegmentLease::close);
    }

    @Test
    void aSegmentWhoseKeyIsAnotherOnesIsRefusedAndCanBeLeftOut() {
        servers.redis.set(name + "#1", "mine");
        SegmentedLock stock = SegmentedLock.of(a, name, 2);
        assertThatThrownBy(stock.startingAt(1)::tryAcquireAny)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(name + "#1");
        try (SegmentLease lease = stock.without(1).tryAcquireAny().orElseThrow()) {
            assertThat(lease.segment()).isZero();
        }
        servers.redis.del(name + "#1");
    }

    @Test
    void leadersFollowEachOtherAndAreSeen() throws Exception {
        LeaderElection election = LeaderElection.of(a, name);
        List<Long> terms = new CopyOnWriteArrayList<>();
        try (LeaderElection.Watch watch = LeaderElection.of(b, name)
                .watch(
                        Duration.ofMillis(100),
                        leader -> terms.add(
                                leader.map(who -> who.fencingToken().orElse(1)).orElse(0L)))) {
            Await.until("nobody leads: " + watch, () -> terms.equals(List.of(0L)));
            Leadership first = election.campaign();
            CompletableFuture<Leadership> candidate =
                    LeaderElection.of(b, name).async().campaign();
            Await.until("the first leader is seen", () -> terms.contains(first.fencingToken()));
            first.ensureValid(Duration.ofSeconds(10));
            first.close();
            Leadership second = Await.reply(candidate);
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(HolderAnswers.holder(election::leader).fencingToken()).hasValue(second.fencingToken());
            Await.until("the second leader is seen", () -> terms.contains(second.fencingToken()));
            List<Leadership.End> ends = new CopyOnWriteArrayList<>();
            second.onEnd(ends::add);
            a.lock(name).forceUnlock();
            Await.until("the loss is told", () -> ends.size() == 1);
            assertThat(ends.get(0)).isInstanceOf(Leadership.End.Lost.class);
            assertThat(second.isValid()).isFalse();
        }
    }
}
