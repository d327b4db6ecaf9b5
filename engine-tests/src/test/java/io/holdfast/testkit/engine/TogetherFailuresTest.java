package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.IndeterminateLockException;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.TogetherStore;
import io.holdfast.testkit.SimThread;
import io.holdfast.testkit.check.LeakChecker;
import io.holdfast.testkit.faults.Fault;
import io.holdfast.testkit.faults.Held;
import io.holdfast.testkit.faults.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Members that are asked for by one request which fails, is too late, or meets others. */
class TogetherFailuresTest extends VirtualTime {

    private static final Duration COMMAND = Duration.ofSeconds(2);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration SLOW = Duration.ofMillis(1_500);

    @RegisterExtension
    final LeakChecker leaks = new LeakChecker().simulation(sim);

    private Runnable whenLookedAt = () -> {};
    private UnaryOperator<List<Acquire.Reply>> change = replies -> replies;
    private final Holdfast meddled = client("meddled", options -> options.provider(new Meddling()));
    private final MultiLock all = of(a, "1", "2", "3");

    /** A store that does something when names are looked at, and changes what it replies. */
    private final class Meddling implements StoreProvider {

        @Override
        public Set<String> schemes() {
            return Set.of("simulated");
        }

        @Override
        public LockStore open(StoreConfig config) {
            LockStore store = server.open(config);
            TogetherStore together = store.together().orElseThrow();
            return new ForwardingStore(store) {
                @Override
                public Optional<TogetherStore> together() {
                    return Optional.of(meddling(together));
                }
            };
        }
    }

    private TogetherStore meddling(TogetherStore store) {
        return new TogetherStore() {
            @Override
            public boolean together(String name, String other) {
                Runnable action = whenLookedAt;
                whenLookedAt = () -> {};
                action.run();
                return store.together(name, other);
            }

            @Override
            public CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> requests) {
                UnaryOperator<List<Acquire.Reply>> once = change;
                change = replies -> replies;
                return store.acquire(requests).thenApply(once);
            }
        };
    }

    @BeforeEach
    void firstContact() {
        Stream.of(a, b, meddled).forEach(TogetherFailuresTest::firstContact);
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
        return MultiLock.of(Stream.of(names).map(client::lock).toList());
    }

    /** Holds back the next reply to a request for names for so long. */
    private void slowReply() {
        Held reply = faults(a).holdReply(Operation.ACQUIRE);
        start("network", () -> {
            while (!reply.isCaught()) {
                sim.sleep(Duration.ofMillis(1));
            }
            sim.sleep(SLOW);
            reply.letGo();
        });
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
                                e -> assertThat(e.name()).isEqualTo("2")));
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
        assertThatThrownBy(all::tryLock)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("lock '2'");
        assertThatThrownBy(() -> sim.await(all.async().acquire()))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("lock '2'");
        reading.unlock();
    }

    @Test
    void whatMayBeHeldIsToldBeforeWhatIsNot() {
        DistributedLock reading = b.readWriteLock("3").readLock();
        reading.lock();
        Held together = faults(a).holdReply(Operation.ACQUIRE);
        faults(a).next(Operation.ACQUIRE, Fault.FAIL_BEFORE).next(Operation.ACQUIRE, Fault.DROP_REPLY);
        SimThread owner = start(
                "owner",
                () -> assertThatThrownBy(all::tryLock)
                        .isInstanceOf(IndeterminateLockException.class)
                        .hasMessageContaining("lock '2'"));
        sim.runUntil(together::isCaught, LONG);
        together.letGo();
        faults(a).outage(true);
        owner.join();
        faults(a).outage(false);
        reading.unlock();
    }

    // ---- others of the client come in between

    @Test
    void whereOneIsTakenNoneOfTheOthersIsAskedFor() {
        List<CompletableFuture<Optional<Lease>>> rival = new ArrayList<>();
        whenLookedAt = () -> rival.add(meddled.lock("1").async().tryAcquire());
        Held request = faults(meddled).holdRequest(Operation.ACQUIRE);
        MultiLock lock = of(meddled, "1", "2", "3");
        long before = calls(meddled);
        SimThread loser = start("loser", () -> assertThat(lock.tryLock()).isFalse());
        sim.runReady();
        assertThat(loser.done()).as("nothing had to be asked").isTrue();
        loser.join();
        assertThat(calls(meddled) - before).as("that of the rival").isEqualTo(1);
        assertThat(meddled.lock("2").tryLock()).isTrue();
        meddled.lock("2").unlock();
        request.letGo();
        sim.await(rival.get(0)).orElseThrow().close();
    }

    // ---- the one wait

    @Test
    void noFurtherRequestIsSentWhenTheTimeIsUp() {
        b.lock("3").lock();
        long before = calls(a);
        Duration began = sim.elapsed();
        slowReply();
        SimThread thread = start("t", () -> assertThat(all.tryLock(SHORT)).isFalse());
        thread.join();
        assertThat(calls(a) - before).isEqualTo(1);
        slowReply();
        assertThat(sim.await(all.async().tryAcquire(SHORT))).isEmpty();
        assertThat(calls(a) - before).isEqualTo(2);
        assertThat(sim.elapsed().minus(began)).isLessThan(SLOW.multipliedBy(2).plus(SHORT));
        b.lock("3").unlock();
    }

    @Test
    void whoWasInTheWayIsNamedWhenTheTimeIsUpAfterThat() {
        b.lock("3").lock();
        slowReply();
        assertThatThrownBy(() -> all.acquire(SHORT))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class, e -> assertThat(e.name()).isEqualTo("3"))
                .hasMessageContainingAll("multi-lock of '1'", "lock '3' was held by", b.clientId());
        slowReply();
        assertThatThrownBy(() -> sim.await(all.async().acquire(SHORT)))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class, e -> assertThat(e.name()).isEqualTo("3"))
                .hasMessageContainingAll("multi-lock of '1'", "lock '3' was held by", b.clientId());
        b.lock("3").unlock();
    }

    @Test
    void aTimeoutSaysSoWhenNobodyIsKnownToBeInTheWay() {
        slowReply();
        assertThatThrownBy(() -> MultiLock.of(a.lock("1"), a.fairLock("2")).acquire(SHORT))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class, e -> assertThat(e.name()).isEmpty())
                .hasMessageContaining("before every member had been requested");
    }

    // ---- what was taken is given back

    private Held[] heldReleases() {
        return new Held[] {faults(a).holdRequest(Operation.RELEASE), faults(a).holdRequest(Operation.RELEASE)};
    }

    private void isReleasedBefore(Held[] releases, BooleanSupplier done) {
        sim.runUntil(() -> releases[1].isCaught(), LONG);
        sim.runReady();
        releases[0].letGo();
        sim.runReady();
        assertThat(done.getAsBoolean()).isFalse();
        releases[1].letGo();
        sim.runUntil(done, SHORT);
    }

    @Test
    void theCallEndsWhenWhatWasTakenIsReleased() {
        DistributedLock reading = b.readWriteLock("2").readLock();
        reading.lock();
        Held[] releases = heldReleases();
        SimThread thread = start("t", () -> assertThatThrownBy(all::tryLock).isInstanceOf(StoreRefusedException.class));
        isReleasedBefore(releases, thread::done);
        thread.join();
        Held[] others = heldReleases();
        CompletableFuture<MultiLease> future = all.async().acquire();
        isReleasedBefore(others, future::isDone);
        assertThat(future).isCompletedExceptionally();
        reading.unlock();
    }

    @Test
    void aStoreThatDoesNotAnswerTheReleaseHoldsTheCallUpForOneTimeout() {
        DistributedLock reading = b.readWriteLock("2").readLock();
        reading.lock();
        for (int way = 0; way < 2; way++) {
            Held[] releases = heldReleases();
            Duration before = sim.elapsed();
            if (way == 0) {
                assertThatThrownBy(all::tryLock).isInstanceOf(StoreRefusedException.class);
            } else {
                assertThatThrownBy(() -> sim.await(all.async().acquire())).isInstanceOf(StoreRefusedException.class);
            }
            assertThat(sim.elapsed().minus(before)).isBetween(COMMAND, COMMAND.plus(SHORT));
            Stream.of(releases).forEach(Held::letGo);
        }
        reading.unlock();
    }

    // ---- interrupts

    @Test
    void anInterruptIsKeptWithoutAskingAgainWhereItEndsNothing() {
        for (boolean leased : List.of(false, true)) {
            long before = calls(a);
            Held reply = faults(a).holdReply(Operation.ACQUIRE);
            SimThread thread = start("t", () -> {
                Runnable release = leased ? all.tryAcquire().orElseThrow()::close : locked();
                assertThat(Thread.interrupted()).isTrue();
                assertThat(calls(a) - before).isEqualTo(1);
                release.run();
            });
            sim.runUntil(reply::isCaught, LONG);
            thread.interrupt();
            sim.runReady();
            assertThat(thread.done()).isFalse();
            reply.letGo();
            thread.join();
        }
    }

    private Runnable locked() {
        assertThat(all.tryLock()).isTrue();
        return all::unlock;
    }

    // ---- a store that breaks its word

    @Test
    void tooFewRepliesAreNone() {
        change = replies -> replies.subList(0, 2);
        assertIsGot(of(meddled, "1", "2", "3"));
    }

    @Test
    void aReplyThatCannotBeReadKeepsNobodyWaiting() {
        change = replies -> {
            List<Acquire.Reply> broken = new ArrayList<>(replies);
            broken.set(1, null);
            return broken;
        };
        assertIsGot(of(meddled, "1", "2", "3"));
    }

    private void assertIsGot(MultiLock lock) {
        Duration before = sim.elapsed();
        assertThat(lock.tryLock()).isTrue();
        assertThat(sim.elapsed().minus(before)).isLessThan(SHORT);
        lock.unlock();
    }

    // ---- how many

    @Test
    void aRequestIsForSoManyNamesOnly() {
        MultiLock many = MultiLock.of(
                IntStream.range(0, 130).mapToObj(i -> a.lock("n" + i)).toList());
        long before = calls(a);
        assertThat(many.tryLock()).isTrue();
        assertThat(calls(a) - before).isEqualTo(3);
        many.unlock();
    }
}
