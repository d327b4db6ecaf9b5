package io.holdfast.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.testkit.Simulation;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class ReconnectingTest {

    private static final Duration SHORTEST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(155);
    private static final Duration LIMIT = Duration.ofSeconds(3);

    /** One that is equal to no other. */
    private static final class Connection {}

    private final Simulation simulation = Simulation.of(5);
    private final Platform.Timer timer = simulation.timer("timer");
    private final List<CompletableFuture<Connection>> attempts = new ArrayList<>();
    private final List<Connection> up = new ArrayList<>();
    private final List<Connection> down = new ArrayList<>();
    private final Reconnecting<Connection> kept = kept(this::attempt);

    @AfterEach
    void close() {
        kept.close();
        timer.close();
        simulation.runReady();
        assertThat(simulation.leftovers()).isEmpty();
        simulation.close();
    }

    private Reconnecting<Connection> kept(Supplier<CompletionStage<Connection>> maker) {
        return new Reconnecting<>(simulation, timer, maker, up::add, down::add);
    }

    private CompletionStage<Connection> attempt() {
        CompletableFuture<Connection> attempt = new CompletableFuture<>();
        attempts.add(attempt);
        return attempt;
    }

    private Connection connects(int attempt) {
        Connection made = new Connection();
        attempts.get(attempt - 1).complete(made);
        return made;
    }

    private void fails(int attempt, String why) {
        attempts.get(attempt - 1).completeExceptionally(new IOException(why));
    }

    private Connection connected() {
        CompletionStage<Connection> first = kept.get();
        connects(attempts.size());
        return simulation.await(first);
    }

    private void awaitAttempt(int number) {
        simulation.runUntil(() -> attempts.size() == number, LONGEST);
    }

    private void assertFails(CompletionStage<Connection> get, String why) {
        assertThat(get.toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(() -> simulation.await(get)).hasMessage(why);
    }

    // the first

    @Test
    void nothingIsMadeBeforeItIsAskedFor() {
        simulation.run();
        assertThat(attempts).isEmpty();
        assertThat(kept.get()).isNotDone();
        assertThat(attempts).hasSize(1);
    }

    @Test
    void allWhoAskBeforeTheFirstIsMadeWaitForIt() {
        CompletionStage<Connection> one = kept.get();
        CompletionStage<Connection> other = kept.get();
        simulation.run();
        assertThat(one).isNotDone();
        assertThat(other).isNotDone();
        Connection made = connects(1);
        assertThat(one).isCompletedWithValue(made);
        assertThat(other).isCompletedWithValue(made);
        assertThat(kept.get()).isCompletedWithValue(made);
        assertThat(attempts).hasSize(1);
        assertThat(up).containsExactly(made);
    }

    @Test
    void aRequestIsNotGivenAFirstConnectionThatIsTooLateForIt() {
        CompletionStage<Connection> early = kept.get(LIMIT);
        simulation.runFor(LIMIT.dividedBy(2));
        CompletionStage<Connection> late = kept.get(LIMIT);
        simulation.runFor(LIMIT.dividedBy(2).plusNanos(1));
        Connection made = connects(1);
        assertFails(early, "the first connection was made after more than 3000 ms");
        assertThat(late).isCompletedWithValue(made);
        assertThat(kept.get(LIMIT)).isCompletedWithValue(made);
    }

    @Test
    void askingWhileItIsBeingMadeMakesNoOther() {
        List<Reconnecting<Connection>> asked = new ArrayList<>();
        List<CompletionStage<Connection>> meanwhile = new ArrayList<>();
        Reconnecting<Connection> asking = kept(() -> {
            meanwhile.add(asked.get(0).get());
            return attempt();
        });
        asked.add(asking);
        CompletionStage<Connection> first = asking.get();
        assertThat(attempts).hasSize(1);
        Connection made = connects(1);
        assertThat(first).isCompletedWithValue(made);
        assertThat(meanwhile).singleElement().satisfies(get -> assertThat(get).isCompletedWithValue(made));
    }

    @Test
    void whoeverIsToldOfAConnectionCanUseIt() {
        List<CompletionStage<Connection>> used = new ArrayList<>();
        List<Reconnecting<Connection>> asked = new ArrayList<>();
        Reconnecting<Connection> telling = new Reconnecting<>(
                simulation, timer, this::attempt, made -> used.add(asked.get(0).get()), down::add);
        asked.add(telling);
        CompletionStage<Connection> first = telling.get();
        fails(1, "no route");
        assertFails(first, "no route");
        awaitAttempt(2);
        Connection made = connects(2);
        assertThat(used).singleElement().satisfies(get -> assertThat(get).isCompletedWithValue(made));
    }

    // failed attempts

    @Test
    void aFailedFirstAttemptFailsThoseWhoWait() {
        CompletionStage<Connection> one = kept.get();
        CompletionStage<Connection> other = kept.get();
        fails(1, "no route");
        assertFails(one, "no route");
        assertFails(other, "no route");
        assertThat(up).isEmpty();
        assertThat(down).isEmpty();
    }

    @Test
    void attemptsAreRepeatedUntilOneSucceeds() {
        assertThat(kept.get()).isNotDone();
        fails(1, "no route");
        awaitAttempt(2);
        fails(2, "refused");
        awaitAttempt(3);
        Connection made = connects(3);
        assertThat(kept.get()).isCompletedWithValue(made);
        assertThat(up).containsExactly(made);
        simulation.run();
        assertThat(attempts).hasSize(3);
    }

    @Test
    void attemptsAreSpreadOver5To155Milliseconds() {
        List<Duration> moments = new ArrayList<>();
        Reconnecting<Connection> failing = kept(() -> {
            moments.add(simulation.elapsed());
            return CompletableFuture.failedStage(new IOException("no route"));
        });
        assertFails(failing.get(), "no route");
        simulation.runUntil(() -> moments.size() > 300, Duration.ofMinutes(1));
        failing.close();
        List<Duration> delays = new ArrayList<>();
        for (int i = 1; i < moments.size(); i++) {
            delays.add(moments.get(i).minus(moments.get(i - 1)));
        }
        assertThat(delays)
                .allMatch(delay -> delay.compareTo(SHORTEST) >= 0 && delay.compareTo(LONGEST) < 0)
                .anyMatch(delay -> delay.compareTo(Duration.ofMillis(10)) < 0)
                .anyMatch(delay -> delay.compareTo(Duration.ofMillis(150)) > 0);
    }

    @Test
    void laterOnesFailAtOnceWhileThereIsNone() {
        assertThat(kept.get()).isNotDone();
        fails(1, "no route");
        assertFails(kept.get(), "no route");
        assertThat(attempts).hasSize(1);
        awaitAttempt(2);
        assertFails(kept.get(), "no route");
        fails(2, "refused");
        assertFails(kept.get(), "refused");
        assertThat(attempts).hasSize(2);
    }

    @Test
    void whatTheMakerThrowsCountsAsAFailedAttempt() {
        List<Connection> made = new ArrayList<>();
        List<String> thrown = new ArrayList<>();
        Reconnecting<Connection> throwing = kept(() -> {
            if (thrown.size() < 2) {
                thrown.add("thrown " + thrown.size());
                throw new IllegalStateException(thrown.get(thrown.size() - 1));
            }
            made.add(new Connection());
            return CompletableFuture.completedStage(made.get(0));
        });
        assertFails(throwing.get(), "thrown 0");
        simulation.runUntil(() -> thrown.size() == 2, LONGEST);
        assertFails(throwing.get(), "thrown 1");
        simulation.runUntil(() -> !made.isEmpty(), LONGEST);
        assertThat(throwing.get()).isCompletedWithValue(made.get(0));
    }

    // the start

    private void refuses(int attempt) {
        attempts.get(attempt - 1).completeExceptionally(new StoreException(Effect.REFUSED, "wrong password"));
    }

    @Test
    void openWaitsForTheFirstConnectionAfterFailedAttempts() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        fails(1, "no route");
        awaitAttempt(2);
        assertThat(opened).isNotDone();
        Connection made = connects(2);
        assertThat(opened).isCompletedWithValue(made);
        simulation.run();
    }

    @Test
    void openFailsAtOnceIfServersRefuse() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        fails(1, "no route");
        awaitAttempt(2);
        refuses(2);
        assertFails(opened, "wrong password");
    }

    private void isRefused(int attempt) {
        attempts.get(attempt - 1)
                .completeExceptionally(new StoreException(
                        Effect.NOT_APPLIED, "nobody", new ConnectException("Connection refused: /127.0.0.1:1")));
    }

    @Test
    void openFailsAtOnceIfNothingListensAtTheFirstAttempt() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        isRefused(1);
        assertFails(opened, "nobody");
    }

    @Test
    void openGoesOnIfNothingListensAtALaterAttempt() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        fails(1, "it is starting");
        awaitAttempt(2);
        isRefused(2);
        awaitAttempt(3);
        assertThat(opened).isCompletedWithValue(connects(3));
        simulation.run();
    }

    @Test
    void openGoesOnIfTheFirstAttemptHasNoAnswer() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        attempts.get(0).completeExceptionally(new ConnectException("Connection timed out"));
        awaitAttempt(2);
        assertThat(opened).isCompletedWithValue(connects(2));
        simulation.run();
    }

    @Test
    void openFailsWithTheLastFailureAfterItsTime() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        kept.heard();
        attempts.get(0).completeExceptionally(new StoreException(Effect.NOT_APPLIED, "there: no route"));
        simulation.runUntil(() -> opened.toCompletableFuture().isDone(), LIMIT);
        assertThat(simulation.elapsed()).isEqualTo(LIMIT);
        assertFails(opened, "there: no route; no attempt has succeeded within 3000 ms");
    }

    @Test
    void openFailsAfterItsTimeIfNoAttemptHasEnded() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        kept.heard();
        simulation.runUntil(() -> opened.toCompletableFuture().isDone(), LIMIT);
        assertFails(opened, "no server has answered within 3000 ms");
    }

    @Test
    void openTakesFourTimesAsLongIfNothingIsHeard() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        fails(1, "silence");
        simulation.runUntil(() -> opened.toCompletableFuture().isDone(), LIMIT.multipliedBy(4));
        assertThat(simulation.elapsed()).isEqualTo(LIMIT.multipliedBy(4));
        assertFails(opened, "no server has answered within 12000 ms");
    }

    @Test
    void theTimeOfOpenBeginsWhenSomethingIsHeard() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        simulation.runFor(LIMIT.multipliedBy(2));
        kept.heard();
        fails(1, "no route");
        simulation.runFor(LIMIT.dividedBy(2));
        kept.heard();
        simulation.runUntil(() -> opened.toCompletableFuture().isDone(), LIMIT);
        assertThat(simulation.elapsed()).isEqualTo(LIMIT.multipliedBy(3));
        assertFails(opened, "no server has answered within 3000 ms");
        simulation.run();
    }

    @Test
    void closeFailsAnOpenThatWaits() {
        CompletionStage<Connection> opened = kept.open(LIMIT);
        kept.close();
        assertFails(opened, "it is closed");
    }

    // lost connections

    @Test
    void aLostConnectionIsMadeAnew() {
        Connection lost = connected();
        Duration then = simulation.elapsed();
        kept.lost(lost);
        assertFails(kept.get(), "the last one was lost, and the next one is being made");
        awaitAttempt(2);
        assertThat(simulation.elapsed().minus(then)).isBetween(SHORTEST, LONGEST);
        Connection made = connects(2);
        assertThat(kept.get()).isCompletedWithValue(made);
        assertThat(up).containsExactly(lost, made);
        assertThat(down).containsExactly(lost);
    }

    @Test
    void aLostConnectionIsNotClosedByTheThreadThatReportsIt() {
        Connection lost = connected();
        kept.lost(lost);
        assertThat(down).isEmpty();
        simulation.runReady();
        assertThat(down).containsExactly(lost);
    }

    @Test
    void aConnectionLostTwiceIsMadeOnce() {
        Connection lost = connected();
        kept.lost(lost);
        kept.lost(lost);
        simulation.run();
        assertThat(attempts).hasSize(2);
        assertThat(down).containsExactly(lost);
    }

    @Test
    void theLossOfAFormerConnectionIsIgnored() {
        Connection former = connected();
        kept.lost(former);
        awaitAttempt(2);
        kept.lost(former);
        Connection present = connects(2);
        kept.lost(former);
        simulation.run();
        assertThat(kept.get()).isCompletedWithValue(present);
        assertThat(attempts).hasSize(2);
        assertThat(down).containsExactly(former);
    }

    @Test
    void theLossOfSomethingElseIsIgnored() {
        kept.lost(new Connection());
        simulation.run();
        assertThat(attempts).isEmpty();
        Connection present = connected();
        kept.lost(new Connection());
        simulation.run();
        assertThat(kept.get()).isCompletedWithValue(present);
        assertThat(attempts).hasSize(1);
        assertThat(down).isEmpty();
    }

    // the end

    @Test
    void afterCloseThereIsNone() {
        Connection last = connected();
        kept.close();
        assertFails(kept.get(), "it is closed");
        kept.lost(last);
        simulation.run();
        assertFails(kept.get(), "it is closed");
        assertThat(attempts).hasSize(1);
        // whoever has it closes it
        assertThat(down).isEmpty();
    }

    @Test
    void whatIsClosedBeforeItIsAskedForIsNeverMade() {
        kept.close();
        assertFails(kept.get(), "it is closed");
        assertThat(attempts).isEmpty();
    }

    @Test
    void closeFailsThoseWhoWait() {
        CompletionStage<Connection> first = kept.get();
        kept.close();
        assertFails(first, "it is closed");
        assertFails(kept.get(), "it is closed");
        Connection late = connects(1);
        assertThat(down).containsExactly(late);
        assertThat(up).isEmpty();
    }

    @Test
    void anAttemptThatIsDueAtCloseIsNotMade() {
        assertThat(kept.get()).isNotDone();
        fails(1, "no route");
        kept.close();
        simulation.run();
        assertThat(attempts).hasSize(1);
    }

    @Test
    void anAttemptThatFailsAfterCloseIsTheLast() {
        CompletionStage<Connection> first = kept.get();
        kept.close();
        fails(1, "no route");
        assertThat(first).isCompletedExceptionally();
        simulation.run();
        assertThat(attempts).hasSize(1);
    }

    @Test
    void aConnectionThatComesAfterCloseIsClosed() {
        kept.lost(connected());
        awaitAttempt(2);
        kept.close();
        down.clear();
        Connection late = connects(2);
        assertThat(down).containsExactly(late);
        assertThat(up).doesNotContain(late);
        assertFails(kept.get(), "it is closed");
    }
}
