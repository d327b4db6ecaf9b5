package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.SimThread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies that run under the lock. */
class RunTest extends VirtualTime {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final DistributedLock lock = a.lock("n");
    private final List<Boolean> held = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertNothingIsLeft();
    }

    private String body() {
        held.add(lock.isHeldByCurrentThread());
        return "done";
    }

    private void loseTheHold() {
        b.lock("n").forceUnlock();
        sim.runFor(SECOND);
    }

    @Test
    void eachFormRunsItsBodyWhileTheThreadHoldsTheLock() throws Exception {
        lock.run(this::body);
        assertThat(lock.tryRun(SECOND, this::body)).isTrue();
        assertThat(lock.call(this::body)).isEqualTo("done");
        assertThat(lock.tryCall(SECOND, this::body)).contains("done");
        assertThat(held).containsExactly(true, true, true, true);
    }

    @Test
    void formsWithoutAWaitWaitForAsLongAsItTakes() {
        b.lock("n").lock();
        SimThread runs = start("runs", () -> lock.run(this::body));
        SimThread calls = start("calls", () -> assertThat(lock.call(this::body)).isEqualTo("done"));
        sim.runFor(LONG);
        assertThat(held).isEmpty();
        b.lock("n").unlock();
        runs.join();
        calls.join();
        assertThat(held).containsExactly(true, true);
    }

    @Test
    void whatIsNotGotWithinTheWaitIsNotRun() throws Exception {
        b.lock("n").lock();
        Duration before = sim.elapsed();
        assertThat(lock.tryRun(SECOND, this::body)).isFalse();
        assertThat(lock.tryCall(SECOND, this::body)).isEmpty();
        assertThat(sim.elapsed().minus(before)).isEqualTo(SECOND.multipliedBy(2));
        assertThat(held).isEmpty();
        b.lock("n").unlock();
    }

    @Test
    void aThreadThatHoldsTheLockAddsALevel() {
        lock.run(() -> lock.run(() -> assertThat(lock.holdCount()).isEqualTo(2)));
    }

    @Test
    void aFailingBodyUnlocksAndItsErrorIsThrownAsItIs() {
        IOException error = new IOException("of the body");
        assertThatThrownBy(() -> lock.call(() -> {
                    throw error;
                }))
                .isSameAs(error)
                .hasNoSuppressedExceptions();
        assertThatThrownBy(() -> lock.tryCall(SECOND, () -> {
                    throw error;
                }))
                .isSameAs(error);
        IllegalArgumentException unchecked = new IllegalArgumentException("of the body");
        assertThatThrownBy(() -> lock.run(() -> {
                    throw unchecked;
                }))
                .isSameAs(unchecked);
        assertThatThrownBy(() -> lock.tryRun(SECOND, () -> {
                    throw unchecked;
                }))
                .isSameAs(unchecked);
    }

    @Test
    void aLossIsThrownAfterABodyThatEndedWell() {
        assertThatThrownBy(() -> lock.run(this::loseTheHold)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.tryRun(SECOND, this::loseTheHold)).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.call(() -> {
                    loseTheHold();
                    return "done";
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.tryCall(SECOND, () -> {
                    loseTheHold();
                    return "done";
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossHidesNoErrorOfTheBodyNorIsItHidden() {
        IllegalArgumentException error = new IllegalArgumentException("of the body");
        Throwable thrown = catchThrowable(() -> lock.run(() -> {
            loseTheHold();
            throw error;
        }));
        assertThat(thrown).isSameAs(error);
        assertThat(thrown.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LeaseLostException.class);
    }

    @Test
    @SuppressWarnings("NullAway")
    void aBodyWithoutAResultIsNotTakenForOneThatDidNotRun() {
        assertThatThrownBy(() -> lock.tryCall(SECOND, () -> null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("'n'")
                .hasMessageContaining("returned null");
    }

    @Test
    @SuppressWarnings("NullAway")
    void aMissingBodyIsRefusedBeforeTheLockIsTaken() {
        long before = calls(a);
        assertThatThrownBy(() -> lock.run(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> lock.tryRun(SECOND, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> lock.call(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> lock.tryCall(SECOND, null)).isInstanceOf(NullPointerException.class);
        assertThat(calls(a)).isEqualTo(before);
    }
}
