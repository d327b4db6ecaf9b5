package io.holdfast.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockReport;
import io.holdfast.spi.Names;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.Signal;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import io.holdfast.testkit.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

@Tag("everywhere")
class MailboxTest {

    private static final Duration PATIENCE = Duration.ofMillis(200);
    private static final TenureId HELD = new TenureId("holder", 7);
    private static final HoldDescription HOLD =
            new HoldDescription(HELD, "thread 'till 4'", Instant.parse("2025-01-01T00:00:00.123456Z"), 1025);

    private final RecordedLog log = new RecordedLog();
    private final Simulation simulation = Simulation.of(6);
    private final Platform.Timer timer = simulation.timer("timer");
    private final Platform.Timer wire = simulation.timer("wire");
    private final Map<String, Mailbox> mailboxes = new HashMap<>();
    private final List<String> posted = new ArrayList<>();
    private final List<Signal> heard = new ArrayList<>();
    private final Map<String, HoldDescription> holds = new HashMap<>();
    private Duration latency = Duration.ofMillis(1);

    private final Mailbox asker = open("asker", this::post);
    private final Mailbox holder = open("holder", this::post);

    /** As {@code BiFunction}, for short. */
    private interface Post {
        CompletionStage<Long> post(String to, String text);
    }

    @AfterEach
    void close() {
        assertThat(simulation.leftovers()).noneMatch(left -> left.matches("timer timer with [1-9].*"));
        timer.close();
        wire.close();
        simulation.runReady();
        assertThat(simulation.leftovers()).isEmpty();
        simulation.close();
    }

    private Mailbox open(String id, Post post) {
        StoreConfig config = StoreConfig.of("memory:", LockReport.Client.unknown("unused"), simulation)
                .withKeyPrefix("app:")
                .withClient(LockReport.Client.unknown(id), this::hear, this::describe);
        Mailbox mailbox = new Mailbox(config, timer, post::post);
        mailboxes.put(id, mailbox);
        return mailbox;
    }

    private void hear(Signal signal) {
        if (signal instanceof Signal.Freed freed && freed.name().equals("cursed")) {
            throw new IllegalStateException("cannot hear");
        }
        heard.add(signal);
    }

    private Optional<HoldDescription> describe(String name) {
        if (name.equals("cursed")) {
            throw new IllegalStateException("cannot describe");
        }
        return Optional.ofNullable(holds.get(name));
    }

    /** Delivers after the latency, to one of the mailboxes or to nobody. */
    private CompletionStage<Long> post(String to, String text) {
        posted.add(to + ": " + text);
        Mailbox mailbox = mailboxes.get(to);
        if (mailbox == null) {
            return CompletableFuture.completedStage(0L);
        }
        wire.schedule(latency.toNanos(), () -> mailbox.receive(text, 1));
        return CompletableFuture.completedStage(1L);
    }

    // the server's messages

    private List<Signal> signals(String message) {
        holder.receive(message, 4);
        return heard;
    }

    @Test
    void aLockIsFree() {
        assertThat(signals("F app:my lock")).containsExactly(new Signal.Freed("my lock"));
    }

    @Test
    void somebodyWaits() {
        assertThat(signals("W app:my lock")).containsExactly(new Signal.Wanted("my lock"));
    }

    @Test
    void aLockWasAssigned() {
        assertThat(signals("A 7 3 2 5 0 900 app:my lock"))
                .containsExactly(
                        new Signal.Assigned("my lock", HELD, Mode.LOCK, TokenUnits.tokens(3, 2), 5, 0, 900, 4));
    }

    @Test
    void aLockWasTakenAway() {
        assertThat(signals("R 7 app:my lock")).containsExactly(new Signal.Revoked("my lock", HELD));
    }

    @Test
    void someMessagesMayBeMissing() {
        assertThat(signals("G")).containsExactly(new Signal.Gap());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "nonsense",
                "X app:n",
                "Free app:n",
                "F",
                "F n",
                "A 7 3 2",
                "A x 3 2 5 0 900 app:n",
                "A 7 0 0 5 0 900 app:n",
                "R x app:n",
                "R 7",
                "Q 1 asker",
                "S",
                "F app:cursed",
                "Q 1 asker app:cursed"
            })
    void aMessageThatIsNoneOrFailsIsLoggedAndDoesNotStopTheNext(String message) {
        assertThat(signals(message)).isEmpty();
        assertThat(log.events()).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getArguments()).containsExactly("holder", Names.quoted(message));
            assertThat(event.getThrowable()).isNotNull();
        });
        assertThat(signals("W app:n")).containsExactly(new Signal.Wanted("n"));
        assertThat(posted).isEmpty();
    }

    @Test
    void soundMessagesAreNotLogged() {
        assertThat(signals("F app:n")).hasSize(1);
        assertThat(signals("Q 1 asker app:n")).hasSize(1);
        assertThat(signals("S 1 holder:7 2025-01-01T00:00:00Z 1 late\n")).hasSize(1);
        assertThat(log.events()).isEmpty();
    }

    // questions of other clients

    @Test
    void aHolderAnswersTheAsker() {
        holds.put("my lock", HOLD);
        holder.receive("Q 12 asker app:my lock", 1);
        assertThat(posted).containsExactly("asker: S 12 holder:7 2025-01-01T00:00:00.123456Z 1025 thread 'till 4'\n");
    }

    @Test
    void whoHoldsNothingDoesNotAnswer() {
        holder.receive("Q 12 asker app:my lock", 1);
        assertThat(posted).isEmpty();
    }

    // own questions

    @Test
    void aHolderDescribesItsHold() {
        holds.put("my lock", HOLD);
        assertThat(simulation.await(asker.describe(HELD, "my lock"))).contains(HOLD);
        assertThat(posted).first().isEqualTo("holder: Q 1 asker app:my lock");
        assertThat(simulation.elapsed()).isEqualTo(latency.multipliedBy(2));
        assertNothingIsKeptOf(1);
    }

    @Test
    void aHolderTellsWhereItIs() {
        HoldDescription odd =
                new HoldDescription(HELD, "two\nlines", Instant.EPOCH, 5, Optional.of("now at A.b < C.d"));
        holds.put("my lock", odd);
        assertThat(simulation.await(asker.describe(HELD, "my lock"))).contains(odd);
        HoldDescription nowhere = new HoldDescription(HELD, "two\nlines", Instant.EPOCH, 5);
        holds.put("my lock", nowhere);
        assertThat(simulation.await(asker.describe(HELD, "my lock"))).contains(nowhere);
    }

    @Test
    void eachQuestionHasItsAnswer() {
        TenureId other = new TenureId("holder", 8);
        HoldDescription otherHold = new HoldDescription(other, "lease", Instant.EPOCH, 5);
        holds.put("lock", HOLD);
        holds.put("other", otherHold);
        CompletionStage<Optional<HoldDescription>> one = asker.describe(HELD, "lock");
        CompletionStage<Optional<HoldDescription>> two = asker.describe(other, "other");
        assertThat(simulation.await(two)).contains(otherHold);
        assertThat(simulation.await(one)).contains(HOLD);
    }

    @Test
    void anAnswerMayTakeAlmost200Milliseconds() {
        latency = Duration.ofMillis(99);
        holds.put("lock", HOLD);
        assertThat(simulation.await(asker.describe(HELD, "lock"))).contains(HOLD);
    }

    @Test
    void aLaterAnswerIsNotAwaited() {
        latency = Duration.ofMillis(101);
        holds.put("lock", HOLD);
        assertThat(simulation.await(asker.describe(HELD, "lock"))).isEmpty();
        assertThat(simulation.elapsed()).isEqualTo(PATIENCE);
        simulation.run();
        assertThat(posted).hasSize(2);
        assertThat(log.events()).isEmpty();
        assertNothingIsKeptOf(1);
    }

    @Test
    void aHolderThatTellsNothingIsAwaitedFor200Milliseconds() {
        assertThat(simulation.await(asker.describe(HELD, "lock"))).isEmpty();
        assertThat(simulation.elapsed()).isEqualTo(PATIENCE);
        assertNothingIsKeptOf(1);
    }

    @Test
    void whomNobodyHeardIsNotAwaited() {
        assertThat(asker.describe(new TenureId("gone", 1), "lock")).isCompletedWithValue(Optional.empty());
        assertNothingIsKeptOf(1);
    }

    @Test
    void whatCouldNotBePostedIsNotAwaited() {
        Mailbox cut = open("asker", (to, text) -> CompletableFuture.failedStage(new IOException("cut")));
        assertThat(cut.describe(HELD, "lock")).isCompletedWithValue(Optional.empty());
        assertNothingIsKeptOf(1);
    }

    @Test
    void whatThePostThrowsCountsAsNotPosted() {
        Mailbox cut = open("asker", (to, text) -> {
            throw new IllegalStateException("cut");
        });
        assertThat(cut.describe(HELD, "lock")).isCompletedWithValue(Optional.empty());
        assertNothingIsKeptOf(1);
    }

    @Test
    void aFailureOfThePostThatComesLateEndsTheQuestion() {
        CompletableFuture<Long> receipt = new CompletableFuture<>();
        CompletionStage<Optional<HoldDescription>> answer =
                open("asker", (to, text) -> receipt).describe(HELD, "lock");
        simulation.runFor(Duration.ofMillis(100));
        assertThat(answer).isNotDone();
        receipt.completeExceptionally(new IOException("cut"));
        assertThat(answer).isCompletedWithValue(Optional.empty());
        assertNothingIsKeptOf(1);
    }

    @Test
    void anAnswerMayOvertakeTheReceipt() {
        CompletableFuture<Long> receipt = new CompletableFuture<>();
        CompletionStage<Optional<HoldDescription>> answer =
                open("asker", (to, text) -> receipt).describe(HELD, "lock");
        mailboxes.get("asker").receive("S 1 holder:7 2025-01-01T00:00:00.123456Z 1025 thread 'till 4'\n", 1);
        assertThat(answer).isCompletedWithValue(Optional.of(HOLD));
        receipt.complete(0L);
        assertThat(answer).isCompletedWithValue(Optional.of(HOLD));
    }

    @Test
    void aHolderThatHasAnotherTenureByNowIsNotTheHolder() {
        holds.put("lock", new HoldDescription(new TenureId("holder", 8), "later", Instant.EPOCH, 2_000));
        assertThat(simulation.await(asker.describe(HELD, "lock"))).isEmpty();
        assertThat(simulation.elapsed()).isEqualTo(latency.multipliedBy(2));
        assertNothingIsKeptOf(1);
    }

    @Test
    void anAnswerThatIsNoneIsLoggedAndTheNextOneCounts() {
        CompletionStage<Optional<HoldDescription>> answer = asker.describe(HELD, "lock");
        asker.receive("S 1 holder:7 yesterday 1025 me\n", 1);
        assertThat(log.events()).hasSize(1);
        assertThat(answer).isNotDone();
        asker.receive("S 1 holder:7 1970-01-01T00:00:00Z 1025 me\n", 1);
        assertThat(answer).isCompletedWithValue(Optional.of(new HoldDescription(HELD, "me", Instant.EPOCH, 1025)));
    }

    /** An answer that is none would be logged, if it was awaited; tasks of the timer are looked for at the end. */
    private void assertNothingIsKeptOf(int question) {
        mailboxes.get("asker").receive("S " + question + " nonsense", 1);
        assertThat(log.events()).isEmpty();
    }
}
