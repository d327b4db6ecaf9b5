package io.holdfast.testkit.crowd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a crowd reports of a process that says what a test wants. */
@Tag("ci")
class CrowdProcessTest {

    private static final CrowdPlan PLAN = new CrowdPlan(Speaker.class, Duration.ofSeconds(3), 1, 1);

    /** Longer than the report of a loss may take. */
    private static final Duration STOP = Duration.ofMillis(2_500);

    private static final Duration SERVED = Duration.ofMinutes(1);

    /** A process whose thread is served again and again, and which says something before that. */
    static final class Speaker {

        private static final long STEP_NANOS = 5_000_000;
        private static final long VALID_NANOS = 100_000_000;
        private static final long STOP_NANOS = 2_000_000_000;

        private Speaker() {}

        /** Works until its input ends. The first argument is what it says. */
        public static void main(String[] arguments) throws IOException {
            String what = arguments[0];
            say(what);
            Thread served = new Thread(() -> beServed(what), "served");
            served.setDaemon(true);
            served.start();
            if (System.in.read() >= 0) {
                throw new IOException("input that is not its end");
            }
            if (!what.equals("no end")) {
                CrowdLine.DONE.say();
            }
        }

        private static void beServed(String what) {
            boolean holds = what.endsWith("after a stop");
            long last = System.nanoTime();
            for (long id = 1; !System.out.checkError(); id++) {
                long now = System.nanoTime();
                if (holds && now - last > STOP_NANOS) {
                    endHold(what, now);
                    holds = false;
                } else if (holds) {
                    CrowdLine.VALID.say(0, now, now + VALID_NANOS);
                }
                last = now;
                grant(id, "served", now, Long.MAX_VALUE);
                CrowdLine.RELEASE.say(id, System.nanoTime());
                LockSupport.parkNanos(STEP_NANOS);
            }
        }

        private static void endHold(String what, long now) {
            if (what.equals("a loss after a stop")) {
                CrowdLine.LOST.say("held", 0, now);
            } else {
                CrowdLine.RELEASE.say(0, now);
            }
        }

        private static void grant(long id, String name, long token, long validUntil) {
            CrowdLine.GRANT.say(id, name, "thread-0", token, false, false, System.nanoTime(), validUntil);
        }

        private static void say(String what) {
            switch (what) {
                case "a late call" -> CrowdLine.LATE.say("acquire", 2_100);
                case "an error" -> CrowdLine.ERROR.say(new IllegalStateException("wrong"));
                case "a loss after a stop", "a release after a stop" ->
                    grant(0, "held", 0, System.nanoTime() + VALID_NANOS);
                case "a silent loss" -> grant(0, "held", 0, System.nanoTime());
                default -> CrowdLine.FAILURE.say("Expected");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a late call, LATE, acquire 2100",
        "an error, ERROR, wrong",
        "a silent loss, SILENT_LOSS, held by",
        "no end, ERROR, did not end in order"
    })
    void reportsViolations(String said, String kind, String text) throws Exception {
        try (Crowd crowd = new Crowd(() -> said, PLAN)) {
            crowd.replaceKilled();
            assertThat(crowd.finish().violations()).singleElement().satisfies(violation -> {
                assertThat(violation.kind()).isEqualTo(kind);
                assertThat(violation.text()).contains(text);
            });
        }
    }

    @Test
    void countsGrantsAndExpectedFailures() throws Exception {
        try (Crowd crowd = Crowd.start("nothing special", PLAN)) {
            Crowd.Outcome outcome = crowd.end();
            assertThat(outcome.failures()).containsOnlyKeys("Expected").containsValue(1);
            assertThat(outcome.grants()).isPositive();
        }
    }

    @Test
    void excusesALossThatIsReportedLateIfTheProcessWasStopped() throws Exception {
        try (Crowd crowd = Crowd.start("a loss after a stop", PLAN)) {
            crowd.living().get(0).whileStopped(() -> crowd.work(STOP));
            Await.until("it reports the loss", () -> crowd.living().get(0).losses() == 1);
            assertThat(crowd.finish().violations()).isEmpty();
        }
    }

    /** Releases a hold at the end of a stop that has outlasted it. */
    private static List<CrowdViolation> violationsAfter(BiConsumer<CrowdProcess, Runnable> stop) throws Exception {
        try (Crowd crowd = Crowd.start("a release after a stop", PLAN)) {
            stop.accept(crowd.living().get(0), () -> crowd.work(STOP));
            crowd.awaitAllServed(SERVED);
            return crowd.finish().violations();
        }
    }

    /** The clock of its machine stood still, so the hold has not ended for it. */
    @Test
    void excusesAReleaseAfterTheEndIfTheMachineWasSuspended() throws Exception {
        assertThat(violationsAfter(CrowdProcess::whileSuspended)).isEmpty();
    }

    @Test
    void reportsAReleaseAfterTheEndIfTheProcessWasStopped() throws Exception {
        assertThat(violationsAfter(CrowdProcess::whileStopped))
                .singleElement()
                .asString()
                .startsWith("SILENT_LOSS: held by");
    }

    @Test
    void throwsAtTheEndIfAPromiseWasBroken() throws Exception {
        try (Crowd crowd = new Crowd(() -> "an error", PLAN)) {
            crowd.replaceKilled();
            assertThatThrownBy(crowd::end).isInstanceOf(AssertionError.class).hasMessageContaining("wrong");
        }
    }
}
