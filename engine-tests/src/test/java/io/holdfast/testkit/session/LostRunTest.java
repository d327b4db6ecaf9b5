package io.holdfast.testkit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A {@code runOnce} whose client loses its session in the body. */
class LostRunTest {

    private static final Duration CUT = SessionServer.SESSION.plusSeconds(1);
    private static final Duration MIN_HOLD = SessionServer.SESSION.multipliedBy(3);

    private final Simulation time = Simulation.of(23);
    private final SessionServer server = new SessionServer(time);
    private final Holdfast client = open();
    private final SimulatedSessions sessions = server.lastClient();
    private final Holdfast other = open();

    private Holdfast open() {
        return server.client("run").build();
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        time.run();
        time.close();
    }

    private void cut() {
        sessions.cut(true);
        time.sleep(CUT);
        sessions.cut(false);
        time.sleep(Duration.ofSeconds(1));
    }

    private boolean isFree() {
        boolean[] free = {false};
        time.start("asks", () -> free[0] = other.lock("job").runOnce(Duration.ofMillis(100), () -> {}))
                .join();
        return free[0];
    }

    @Test
    void keepsTheNameUntilTheTimeOfTheRunIsUp() {
        time.start(
                        "runs",
                        () -> assertThatThrownBy(() -> client.lock("job").runOnce(MIN_HOLD, this::cut))
                                .isInstanceOf(LeaseLostException.class))
                .join();
        assertThat(isFree()).isFalse();
        time.runFor(MIN_HOLD.minus(CUT).minusSeconds(2));
        assertThat(isFree()).isFalse();
        time.runFor(Duration.ofSeconds(2));
        assertThat(isFree()).isTrue();
    }
}
