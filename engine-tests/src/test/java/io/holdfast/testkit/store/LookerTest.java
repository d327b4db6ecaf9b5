package io.holdfast.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockReport;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Release;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Limits;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.RecordColumns;
import io.holdfast.support.store.Looker;
import io.holdfast.support.store.RecordKey;
import io.holdfast.support.store.RecordKeys;
import io.holdfast.testkit.Simulation;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a client looks at the rows that it waits for, and what it finds. */
class LookerTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final TenureId HOLDER = new TenureId("holder", 1);
    private static final TenureId WAITER = new TenureId("waiter", 1);

    private final Simulation simulation = Simulation.of(5);
    private final Platform.Timer timer = simulation.timer("test");
    private Runnable beforeLook = () -> {};
    private Runnable afterRead = () -> {};
    private final Decider decider = new Decider(Limits.STANDARD);
    private final Map<RecordKey, Looker.Sight> rows = new HashMap<>();
    private final List<Duration> looks = new ArrayList<>();
    private final List<Signal> signals = new ArrayList<>();
    private final Looker looker = new Looker(
            StoreConfig.of("jdbc:test", LockReport.Client.unknown("waiter"), platform())
                    .withClient(LockReport.Client.unknown("waiter"), signals::add, name -> Optional.empty()),
            timer,
            this::read);
    private boolean broken;

    @AfterEach
    void close() {
        looker.close();
        timer.close();
        simulation.runReady();
        assertThat(simulation.leftovers()).isEmpty();
        simulation.close();
    }

    /** The simulation, with an action before each task of a worker is handed over. */
    private Platform platform() {
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (self, method, arguments) -> method.getName().equals("worker")
                        ? worker((Platform.Worker) method.invoke(simulation, arguments))
                        : method.invoke(simulation, arguments));
    }

    private Platform.Worker worker(Platform.Worker real) {
        return new Platform.Worker() {
            @Override
            public void execute(Runnable task) {
                beforeLook.run();
                real.execute(task);
            }

            @Override
            public void close() {
                real.close();
            }
        };
    }

    private Map<RecordKey, Looker.Sight> read(List<RecordKey> names) {
        looks.add(simulation.elapsed());
        if (broken) {
            throw new StoreException(StoreException.Effect.NOT_APPLIED, "no connection");
        }
        Map<RecordKey, Looker.Sight> found = new HashMap<>(rows);
        found.keySet().retainAll(names);
        afterRead.run();
        return found;
    }

    private record Read(String name, long version, RecordColumns columns) implements Looker.Sight {

        @Override
        public LockRecord record() {
            return columns.record(name);
        }

        @Override
        public Moment moment() {
            return Moment.of(0, 0);
        }
    }

    private static RecordKey key(String name) {
        return new RecordKeys("").lock(name);
    }

    private void write(String name, long version, LockRecord record) {
        rows.put(key(name), new Read(name, version, RecordColumns.of(name, record, record)));
    }

    private static Moment now() {
        return Moment.of(1_790_000_000_000_000L, 0);
    }

    private LockRecord awaited(String name) {
        Acquire request = Acquire.of(name, WAITER, LEASE).queued(Acquire.Queueing.BARGING, 0);
        return decider.acquire(held(name), request, now()).record();
    }

    private LockRecord assigned(String name) {
        Release release = Release.of(name, HOLDER).withYield(true);
        return decider.release(awaited(name), release, now()).record();
    }

    private void waitFor(String name) {
        waitFor(name, 1);
    }

    private void waitFor(String name, long version) {
        write(name, version, awaited(name));
        looker.left(key(name), version, awaited(name));
    }

    private LockRecord held(String name) {
        return decider.acquire(LockRecord.EMPTY, Acquire.of(name, HOLDER, LEASE), now())
                .record();
    }

    /** Runs an action when the next look has read the rows, and has not compared them. */
    private void duringTheNextLook(Runnable action) {
        afterRead = () -> {
            afterRead = () -> {};
            action.run();
        };
    }

    private List<Long> pauses() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 1; i < looks.size(); i++) {
            pauses.add(looks.get(i).minus(looks.get(i - 1)).toMillis());
        }
        return pauses;
    }

    // ---- messages

    private void assertAssigned(String... names) {
        assertThat(signals.stream()
                        .filter(Signal.Assigned.class::isInstance)
                        .map(signal -> ((Signal.Assigned) signal).name()))
                .containsExactly(names);
    }

    @Test
    void readsAReportedRecordAtOnceThoughItIsPaused() {
        waitFor("a");
        looker.pause();
        simulation.runFor(Duration.ofSeconds(1));
        write("a", 2, assigned("a"));
        looker.read(key("a"));
        simulation.runReady();
        assertAssigned("a");
        assertThat(looks).hasSize(1);
    }

    @Test
    void findsNoAssignmentThatTheRecordDoesNotState() {
        waitFor("a");
        looker.pause();
        looker.read(key("a"));
        looker.read(key("b"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).isEmpty();
        assertThat(looks).hasSize(1);
    }

    /** The message may overtake the answer to the request of which it is the consequence. */
    @Test
    void readsAReportedRecordWhenItsWriteHasEnded() {
        looker.pause();
        looker.begin(key("a"));
        write("a", 2, assigned("a"));
        looker.read(key("a"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(looks).isEmpty();
        looker.left(key("a"), 1, awaited("a"));
        looker.end(key("a"));
        simulation.runReady();
        assertAssigned("a");
    }

    @Test
    void readsAReportedRecordAgainIfTheReadFails() {
        waitFor("a");
        looker.pause();
        write("a", 2, assigned("a"));
        broken = true;
        looker.read(key("a"));
        simulation.runFor(Duration.ofMillis(100));
        assertThat(looks).hasSizeBetween(2, 20);
        broken = false;
        simulation.runFor(Duration.ofMillis(100));
        assertAssigned("a");
    }

    /** The record was written again after it was read, and before the look has ended. */
    @Test
    void readsAReportedRecordAgainIfAMessageArrivesDuringTheLook() {
        waitFor("a");
        looker.pause();
        duringTheNextLook(() -> {
            write("a", 2, assigned("a"));
            looker.read(key("a"));
        });
        looker.read(key("a"));
        simulation.runReady();
        assertAssigned("a");
    }

    /** The client begins to write the record after it was read, and writes nothing. */
    @Test
    void readsAReportedRecordAgainIfItIsBeingWrittenAtTheEndOfTheLook() {
        waitFor("a");
        looker.pause();
        write("a", 2, assigned("a"));
        duringTheNextLook(() -> looker.begin(key("a")));
        looker.read(key("a"));
        simulation.runReady();
        assertThat(signals).isEmpty();
        looker.left(key("a"), 1, awaited("a"));
        looker.end(key("a"));
        simulation.runReady();
        assertAssigned("a");
    }

    @Test
    void readsNoReportedRecordInWhichItDoesNotWait() {
        looker.pause();
        looker.read(key("a"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(looks).isEmpty();
    }

    /** The read that a message asks for would find nothing new. */
    @Test
    void reportsAnAssignmentThatARequestFindsThoughItIsPaused() {
        waitFor("a");
        looker.pause();
        looker.found(key("a"), 2, assigned("a"), now());
        assertAssigned("a");
    }

    @Test
    void aClientThatDoesNotWaitDoesNotLook() {
        LockRecord granted = decider.acquire(LockRecord.EMPTY, Acquire.of("n", WAITER, LEASE), now())
                .record();
        looker.left(key("n"), 1, granted);
        simulation.runFor(Duration.ofMinutes(1));
        assertThat(looks).isEmpty();
    }

    @Test
    void theLooksBecomeRarerWhileNothingHappens() {
        waitFor("n");
        simulation.runFor(Duration.ofSeconds(2));
        assertThat(looks.get(0)).isLessThanOrEqualTo(Duration.ofMillis(5));
        assertThat(pauses()).allMatch(pause -> pause >= 3 && pause <= 40);
        assertThat(pauses().get(0)).isLessThanOrEqualTo(8);
        assertThat(pauses().get(pauses().size() - 1)).isGreaterThanOrEqualTo(30);
    }

    /** The timer has fired, and the thread that looks has not begun. */
    @Test
    void aRequestWhileALookBeginsAddsNoSecondRowOfLooks() {
        waitFor("n");
        for (int i = 0; i < 20; i++) {
            beforeLook = () -> looker.left(key("n"), rows.get(key("n")).version() + 1, awaited("n"));
            simulation.runFor(Duration.ofMillis(100));
        }
        beforeLook = () -> {};
        simulation.runFor(Duration.ofSeconds(1));
        looks.clear();
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(looks).hasSizeLessThan(30);
    }

    @Test
    void aRowThatCannotBeReadEndsNoSignalsOfOthers() {
        waitFor("a");
        waitFor("b");
        waitFor("c");
        RecordColumns columns = RecordColumns.of("b", awaited("b"), awaited("b"));
        rows.put(
                key("b"),
                new Read("b", 2, new RecordColumns(columns.tenure(), columns.expires(), 0, 0, 0, Optional.of("2|"))));
        write("a", 2, assigned("a"));
        write("c", 2, assigned("c"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).hasSize(3).contains(new Signal.Freed("b"));
        assertThat(signals.stream().filter(Signal.Assigned.class::isInstance)).hasSize(2);
    }

    @Test
    void oneLookServesAllNames() {
        for (int i = 0; i < 100; i++) {
            waitFor("n" + i);
        }
        simulation.runFor(Duration.ofMillis(5));
        assertThat(looks).hasSize(1);
    }

    @Test
    void anAssignmentIsFoundOnceAndEndsTheLooks() {
        waitFor("n");
        simulation.runFor(Duration.ofMillis(50));
        write("n", 2, assigned("n"));
        simulation.runFor(Duration.ofMillis(100));
        assertThat(signals)
                .hasSize(1)
                .first()
                .isInstanceOfSatisfying(
                        Signal.Assigned.class,
                        assigned -> assertThat(assigned.tenure()).isEqualTo(WAITER));
        looks.clear();
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(looks).isEmpty();
    }

    @Test
    void whatTheClientIsWritingIsNotFound() {
        waitFor("n");
        looker.begin(key("n"));
        write("n", 2, LockRecord.EMPTY);
        simulation.runFor(Duration.ofMillis(200));
        looker.left(key("n"), 2, LockRecord.EMPTY);
        looker.end(key("n"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).isEmpty();
    }

    @Test
    void afterAWriteThatFailedTheNextLookFindsWhatHasChanged() {
        waitFor("n");
        looker.begin(key("n"));
        write("n", 2, assigned("n"));
        simulation.runFor(Duration.ofMillis(200));
        looker.end(key("n"));
        simulation.runFor(Duration.ofMillis(200));
        assertThat(signals).hasSize(1);
    }

    @Test
    void whatTheClientHasSeenItselfIsNotFoundAgain() {
        waitFor("n");
        write("n", 2, assigned("n"));
        looker.left(key("n"), 2, assigned("n"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).isEmpty();
    }

    @Test
    void whatARequestFindsIsNotLost() {
        waitFor("n");
        looker.found(key("n"), 2, assigned("n"), now());
        looker.left(key("n"), 2, assigned("n"));
        assertThat(signals).hasSize(1).first().isInstanceOf(Signal.Assigned.class);
    }

    @Test
    void aLookThatWasOvertakenFindsNothing() {
        waitFor("n");
        write("n", 2, assigned("n"));
        duringTheNextLook(() -> {
            write("n", 3, awaited("n"));
            looker.left(key("n"), 3, awaited("n"));
        });
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).isEmpty();
        write("n", 4, assigned("n"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).hasSize(1);
    }

    @Test
    void aRowThatSomebodyHasDeletedWakesTheWaiter() {
        waitFor("n");
        rows.clear();
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).hasSize(2).first().isEqualTo(new Signal.Freed("n"));
        assertThat(signals.get(1)).isInstanceOf(Signal.Gap.class);
    }

    /** A look has found no row, and the client has made one before the look has ended. */
    @Test
    void keepsWaitingInARowThatTheClientMakesWhileALookFindsNone() {
        waitFor("n");
        rows.clear();
        duringTheNextLook(() -> waitFor("n", 1_000));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).isEmpty();
        write("n", 1_001, assigned("n"));
        simulation.runFor(Duration.ofSeconds(1));
        assertAssigned("n");
    }

    // ---- a store that goes back, as after the restore of a backup

    @Test
    void findsWhatIsWrittenAfterTheStoreWentBack() {
        waitFor("n", 500);
        simulation.runFor(Duration.ofMillis(100));
        write("n", 3, awaited("n"));
        simulation.runFor(Duration.ofMillis(100));
        write("n", 4, assigned("n"));
        simulation.runFor(Duration.ofMillis(100));
        assertAssigned("n");
    }

    @Test
    void findsAnAssignmentThatIsWrittenBeforeTheFirstLookAfterTheStoreWentBack() {
        waitFor("n", 500);
        write("n", 4, assigned("n"));
        simulation.runFor(Duration.ofMillis(100));
        assertAssigned("n");
    }

    /** Its holds are verified, and its waiters ask again, because of the gap. */
    @Test
    void reportsOneGapWhenTheStoreWentBack() {
        waitFor("a", 500);
        waitFor("b", 500);
        write("a", 3, awaited("a"));
        write("b", 3, awaited("b"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).hasSize(1).first().isInstanceOf(Signal.Gap.class);
    }

    @Test
    void wakesAWaiterWhosePositionIsGoneAfterTheStoreWentBack() {
        waitFor("n", 500);
        write("n", 3, held("n"));
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).hasSize(2).first().isEqualTo(new Signal.Freed("n"));
        assertEndsTheLooks();
    }

    /** The client was granted the name by a request that has found an earlier version. */
    @Test
    void endsTheLooksWhenTheClientWaitsNoLongerAfterTheStoreWentBack() {
        waitFor("n", 500);
        LockRecord granted = decider.acquire(LockRecord.EMPTY, Acquire.of("n", WAITER, LEASE), now())
                .record();
        write("n", 4, granted);
        looker.left(key("n"), 4, granted);
        simulation.runFor(Duration.ofSeconds(1));
        assertEndsTheLooks();
    }

    private void assertEndsTheLooks() {
        looks.clear();
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(looks).isEmpty();
        assertThat(looker.awaited()).isEmpty();
    }

    @Test
    void readsAReportedRecordThatWentBackThoughItIsPaused() {
        waitFor("a", 500);
        looker.pause();
        write("a", 4, assigned("a"));
        looker.read(key("a"));
        simulation.runReady();
        assertAssigned("a");
    }

    @Test
    void afterLooksThatFailedAGapIsReported() {
        waitFor("n");
        broken = true;
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(looks).hasSizeGreaterThan(5);
        assertThat(signals).isEmpty();
        broken = false;
        simulation.runFor(Duration.ofSeconds(1));
        assertThat(signals).hasSize(1).first().isInstanceOf(Signal.Gap.class);
    }

    @Test
    void aProofIsALookAfterIt() {
        CompletionStage<Void> proof = looker.confirm();
        assertThat(looks).isEmpty();
        simulation.runReady();
        assertThat(looks).hasSize(1);
        assertThat(proof).isCompleted();
        simulation.runFor(Duration.ofMinutes(1));
        assertThat(looks).as("nothing is awaited").hasSize(1);
    }

    @Test
    void aProofHasItsLookAlsoIfSignalsArePushedMeanwhile() {
        CompletionStage<Void> proof = looker.confirm();
        looker.pause();
        simulation.runReady();
        assertThat(proof).isCompleted();
        looker.resume();
    }

    @Test
    void aProofFailsWithItsLookOrWithTheClose() {
        broken = true;
        CompletionStage<Void> proof = looker.confirm();
        simulation.runReady();
        assertThatThrownBy(() -> simulation.await(proof)).hasMessageContaining("no connection");
        looker.close();
        assertThatThrownBy(() -> simulation.await(looker.confirm())).hasMessageContaining("closed");
    }
}
