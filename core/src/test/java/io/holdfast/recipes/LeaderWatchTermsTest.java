package io.holdfast.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockReport;
import io.holdfast.LockReport.Holder;
import io.holdfast.internal.access.ClientAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What counts as another leader when leaders do not always tell their term. */
class LeaderWatchTermsTest {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final Scripted scripted = new Scripted();
    private final List<String> told = new ArrayList<>();
    private final LeaderElection.Watch watch =
            new LeaderWatch(scripted, "boss", PERIOD, leader -> told.add(text(leader)));

    /** Answers what a test says; each later task runs when the test says so. */
    private static final class Scripted implements ClientAccess {

        private final Queue<CompletionStage<LockReport>> answers = new ArrayDeque<>();
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final List<String> failures = new ArrayList<>();

        @Override
        public Platform platform() {
            return Platform.system();
        }

        @Override
        public Duration maxOutage() {
            return PERIOD;
        }

        @Override
        public Platform.Task later(Duration delay, Runnable task) {
            assertThat(delay).isEqualTo(PERIOD);
            tasks.add(task);
            return () -> tasks.remove(task);
        }

        @Override
        public CompletionStage<LockReport> inspect(String name) {
            return answers.remove();
        }

        @Override
        public void callBack(String what, Runnable code) {
            code.run();
        }

        @Override
        public void callBackAtEnd(String what, Runnable code) {
            code.run();
        }

        @Override
        public void failed(String what, Throwable error) {
            failures.add(what + ": " + error.getMessage());
        }
    }

    private void see(Holder... leader) {
        answer(CompletableFuture.completedStage(
                new LockReport("boss", List.of(leader), List.of(), OptionalLong.empty())));
    }

    private void answer(CompletionStage<LockReport> answer) {
        scripted.answers.add(answer);
        Runnable task = scripted.tasks.poll();
        if (task == null) {
            ((LeaderWatch) watch).start();
        } else {
            task.run();
        }
    }

    private static Holder leader(String client, OptionalLong term) {
        return new Holder(
                LockReport.Client.unknown(client),
                client + ":1",
                LockReport.Mode.LOCK,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                term,
                PERIOD);
    }

    private static String text(Optional<Holder> leader) {
        return leader.map(who -> who.client().id() + who.fencingToken()).orElse("nobody");
    }

    @Test
    void aTermThatIsNotToldIsTakenForTheOneOfBefore() {
        see(leader("x", OptionalLong.of(7)));
        see(leader("x", OptionalLong.empty()));
        see(leader("x", OptionalLong.of(7)));
        assertThat(told).containsExactly("xOptionalLong[7]");
        see(leader("x", OptionalLong.of(8)));
        assertThat(told).last().isEqualTo("xOptionalLong[8]");
    }

    @Test
    void aTermThatIsToldLaterIsToldOn() {
        see(leader("x", OptionalLong.empty()));
        see(leader("x", OptionalLong.empty()));
        see(leader("x", OptionalLong.of(7)));
        assertThat(told).containsExactly("xOptionalLong.empty", "xOptionalLong[7]");
    }

    @Test
    void anotherClientIsAnotherLeaderWithoutATerm() {
        see(leader("x", OptionalLong.of(7)));
        see(leader("y", OptionalLong.empty()));
        see();
        see();
        assertThat(told).containsExactly("xOptionalLong[7]", "yOptionalLong.empty", "nobody");
    }

    @Test
    void anOutageIsReportedOnceAndChangesNothing() {
        see(leader("x", OptionalLong.of(7)));
        answer(CompletableFuture.failedStage(new IllegalStateException("silent")));
        answer(CompletableFuture.failedStage(new IllegalStateException("silent")));
        see(leader("x", OptionalLong.of(7)));
        answer(CompletableFuture.failedStage(new IllegalStateException("again")));
        assertThat(told).hasSize(1);
        assertThat(scripted.failures)
                .containsExactly(
                        "the watch of the leader of 'boss': silent", "the watch of the leader of 'boss': again");
    }

    @Test
    void closeDropsTheNextLook() {
        see();
        assertThat(scripted.tasks).hasSize(1);
        watch.close();
        assertThat(scripted.tasks).isEmpty();
    }
}
