package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Change;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Release;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A machine is suspended, or its wall clock is set. {@code nanoTime} stands still while it is suspended, and the servers go on. A
 * session that ended meanwhile keeps no hold, and one that goes on is certain for the rest of its time only.
 */
class SuspendedSessionTest {

    private static final Duration SESSION = SessionServer.SESSION;

    private final Simulation time = Simulation.of(7);
    private final SessionServer server = new SessionServer(time);
    private final List<LockStore> stores = new ArrayList<>();
    private final List<Signal> signals = new ArrayList<>();
    private LockStore store;
    private SimulatedSessions sessions;

    @BeforeEach
    void open() {
        store = open("suspended");
        sessions = server.lastClient();
    }

    private LockStore open(String id) {
        LockReport.Client identity = LockReport.Client.unknown(id);
        LockStore opened = server.open(StoreConfig.of("session:", identity, time)
                .withClient(identity, signals::add, name -> Optional.empty()));
        stores.add(opened);
        return opened;
    }

    @AfterEach
    void close() {
        stores.forEach(LockStore::close);
        time.runReady();
        time.close();
    }

    private static Acquire request(String client, int number) {
        return Acquire.of("n" + number, new TenureId(client, number), SESSION);
    }

    private Acquire.Granted acquire(int number) {
        return (Acquire.Granted) time.await(store.acquire(request("suspended", number)));
    }

    /** The numbers and the kinds of holds. */
    static Stream<Arguments> batches() {
        return Stream.of(
                arguments(1, Mode.LOCK),
                arguments(17, Mode.LOCK),
                arguments(1_000, Mode.LOCK),
                arguments(17, Mode.READ),
                arguments(17, Mode.PERMITS));
    }

    private List<Renew> hold(int count) {
        return hold(count, Mode.LOCK);
    }

    private List<Renew> hold(int count, Mode mode) {
        return IntStream.range(0, count).mapToObj(number -> hold(mode, number)).toList();
    }

    private Renew hold(Mode mode, int number) {
        Acquire request = request("suspended", number).withShare(Share.of(mode));
        if (mode == Mode.PERMITS) {
            setPermits(request.name(), number);
        }
        assertThat(time.await(store.acquire(request))).isInstanceOf(Acquire.Granted.class);
        return new Renew(request.name(), request.tenure(), mode, SESSION, 0);
    }

    private void setPermits(String name, int number) {
        TenureId id = new TenureId("permits", number);
        Change change = new Change(Change.Kind.TRY_PERMITS, name, id, 1, Optional.empty(), Long.MAX_VALUE);
        assertThat(time.await(store.counters().change(change)))
                .isInstanceOfSatisfying(
                        Change.Done.class, done -> assertThat(done.applied()).isTrue());
    }

    /** Returns the replies to a batch. If it fails as a whole, each of its renewals has failed. */
    private List<Renew.Reply> renew(List<Renew> batch) {
        try {
            return time.await(store.renew(batch));
        } catch (StoreException e) {
            return batch.stream()
                    .<Renew.Reply>map(request -> new Renew.Failed(e))
                    .toList();
        }
    }

    private static boolean isValid(Renew.Reply reply) {
        return reply instanceof Renew.Renewed renewed && !renewed.valid().isZero();
    }

    @ParameterizedTest
    @MethodSource("batches")
    void renewsNothingInASessionThatEndedDuringASuspend(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.suspend(SESSION.plusSeconds(1));
        assertThat(renew(batch)).hasSize(holds).noneMatch(SuspendedSessionTest::isValid);
        time.runFor(Duration.ofMillis(100));
        assertThat(renew(batch)).hasSize(holds).allMatch(Renew.Lost.class::isInstance);
    }

    @ParameterizedTest
    @MethodSource("batches")
    void readsAllHoldsOfASessionThatSurvivedASuspend(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.suspend(SESSION.dividedBy(2));
        long before = server.reads();
        assertThat(renew(batch)).hasSize(holds).allMatch(SuspendedSessionTest::isValid);
        assertThat(server.reads() - before).isGreaterThanOrEqualTo(holds);
    }

    @ParameterizedTest
    @MethodSource("batches")
    void findsAllHoldsThatWereRemovedDuringASuspend(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.suspend(SESSION.dividedBy(2));
        server.wipe();
        assertThat(renew(batch)).hasSize(holds).allMatch(Renew.Lost.class::isInstance);
    }

    @ParameterizedTest
    @MethodSource("batches")
    void renewsNothingAfterASuspendIfTheServersDoNotAnswer(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.suspend(SESSION.dividedBy(2));
        sessions.session().loseAnswers(true);
        assertThat(renew(batch)).hasSize(holds).noneMatch(SuspendedSessionTest::isValid);
        sessions.session().loseAnswers(false);
        sessions.cut(true);
        assertThat(renew(batch)).hasSize(holds).noneMatch(SuspendedSessionTest::isValid);
        sessions.cut(false);
        assertThat(renew(batch)).hasSize(holds).allMatch(SuspendedSessionTest::isValid);
    }

    /** The session is proven again, but not each of its holds. */
    @ParameterizedTest
    @MethodSource("batches")
    void readsAllHoldsIfAHeartbeatWasFasterAfterASuspend(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.suspend(SESSION.dividedBy(2));
        server.wipe();
        time.await(sessions.session().confirm());
        assertThat(renew(batch)).hasSize(holds).allMatch(Renew.Lost.class::isInstance);
    }

    @ParameterizedTest
    @MethodSource("batches")
    void readsAllHoldsAfterAGap(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.runFor(Duration.ofMillis(1));
        server.wipe();
        sessions.deliver(new Signal.Gap(), 0);
        assertThat(renew(batch)).hasSize(holds).allMatch(Renew.Lost.class::isInstance);
    }

    /** It stays in doubt, so that no other hold or heartbeat is proof for it. */
    @ParameterizedTest
    @MethodSource("batches")
    void renewsAllHoldsExceptTheOneThatIsNotRead(int holds, Mode mode) {
        List<Renew> batch = hold(holds, mode);
        time.suspend(SESSION.dividedBy(2));
        sessions.session().loseReadsOf("n0");
        for (int attempt = 0; attempt < 2; attempt++) {
            List<Renew.Reply> replies = renew(batch);
            assertThat(replies.get(0)).isInstanceOf(Renew.Failed.class);
            assertThat(replies.subList(1, holds)).hasSize(holds - 1).allMatch(SuspendedSessionTest::isValid);
        }
        sessions.session().loseReadsOf("");
        assertThat(renew(batch)).hasSize(holds).allMatch(SuspendedSessionTest::isValid);
    }

    @Test
    void readsFewHoldsWhenTheDoubtIsOver() {
        List<Renew> batch = hold(100);
        time.suspend(SESSION.dividedBy(2));
        renew(batch);
        long before = server.reads();
        assertThat(renew(batch)).allMatch(SuspendedSessionTest::isValid);
        assertThat(server.reads() - before).isLessThan(20);
    }

    /** Its answer arrives after the suspend, and proves that the session lived before it. */
    @Test
    void takesAHeartbeatThatWasSentBeforeASuspendForNoProof() {
        List<Renew> batch = hold(1);
        CompletionStage<Void> beat = sessions.session().confirm();
        time.suspend(SESSION.dividedBy(2));
        long before = server.signsOfLife();
        List<Renew.Reply> replies = renew(batch);
        assertThat(beat.toCompletableFuture()).isDone();
        assertThat(server.signsOfLife() - before).as("it, and one more").isEqualTo(2);
        assertThat(replies).allMatch(SuspendedSessionTest::isValid);
    }

    @Test
    void grantsALockAfterASuspendForNoLongerThanTheServersKeepTheSession() {
        time.suspend(SESSION.minusSeconds(1));
        long sent = time.outsideNanos();
        Acquire.Granted granted = acquire(1);
        Duration kept = Duration.ofNanos(server.endOf(sessions.session().id()) - sent);
        assertThat(granted.valid()).isPositive().isLessThan(kept);
    }

    /** Asks for a name that another client holds, and returns the time of the store minus {@code nanoTime}, in microseconds. */
    private long join() {
        Acquire request = request("suspended", 1).queued(Acquire.Queueing.FAIR, 0);
        var refused = (Acquire.Refused) time.await(store.acquire(request));
        return refused.serverMicros() - time.nanoTime() / 1_000;
    }

    /** Returns what is left of the window of the assignment. */
    private Duration claimWindow(long skewMicros) {
        time.runFor(Duration.ofMillis(10));
        long now = time.nanoTime() / 1_000 + skewMicros;
        return Duration.of(
                signals.stream()
                                .filter(Signal.Assigned.class::isInstance)
                                .mapToLong(signal -> ((Signal.Assigned) signal).expiresMicros())
                                .findFirst()
                                .orElseThrow()
                        - now,
                ChronoUnit.MICROS);
    }

    @Test
    void claimsNothingThatWasAssignedWhileTheSessionIsInDoubt() {
        LockStore other = open("other");
        time.await(other.acquire(request("other", 1)));
        long skew = join();
        time.suspend(SESSION.dividedBy(2));
        time.await(other.renew(List.of(new Renew("n1", new TenureId("other", 1), SESSION, 0))));
        time.await(other.release(Release.of("n1", new TenureId("other", 1))));
        assertThat(claimWindow(skew)).isLessThanOrEqualTo(Duration.ZERO);
    }

    @Test
    void grantsALockInALaterSessionIfItsOwnEndedDuringASuspend() {
        time.suspend(SESSION.plusSeconds(1));
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> acquire(1))
                .satisfies(
                        failure -> assertThat(failure.effect().mayBeApplied()).isFalse());
        Acquire.Granted granted = acquire(1);
        assertThat(granted.valid()).isPositive();
        assertThat(time.await(open("other").acquire(request("other", 1)))).isInstanceOf(Acquire.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600, 3_600})
    void keepsAllHoldsAfterAStepOfTheWallClock(long seconds) {
        List<Renew> batch = hold(17);
        time.stepWallClock(Duration.ofSeconds(seconds));
        assertThat(renew(batch)).hasSize(17).allMatch(SuspendedSessionTest::isValid);
    }
}
