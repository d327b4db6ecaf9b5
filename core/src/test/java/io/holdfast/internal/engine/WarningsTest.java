package io.holdfast.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockEvent;
import io.holdfast.spi.Platform;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** No warning is lost, whenever it comes and whatever fails. */
class WarningsTest {

    private final FakeTimer timer = new FakeTimer();
    private final FakeClock clock = new FakeClock();
    private final List<String> lines = new ArrayList<>();
    private final Warnings warnings = new Warnings(clock, timer, lines::add);

    private void add(String name) {
        LockEvent event = new LockEvent.Lost(name, 1, "owner", "reason");
        warnings.add("lost", event, "lock '" + name + "' was lost", "locks were lost", "check");
    }

    @Test
    void anEventOfAFailedTimerIsInTheNextLine() {
        timer.fails = true;
        assertThatThrownBy(() -> add("n1")).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> add("n2")).isInstanceOf(OutOfMemoryError.class);
        timer.fails = false;
        add("n3");
        timer.run();
        assertThat(lines)
                .containsExactly(
                        "3 locks were lost, among them 'n1', 'n2', 'n3'; the first: lock 'n1' was lost; check");
    }

    @Test
    void anEventOfAFailedTimerIsWrittenAtTheClose() {
        timer.fails = true;
        assertThatThrownBy(() -> add("n1")).isInstanceOf(OutOfMemoryError.class);
        warnings.flush();
        assertThat(lines).containsExactly("lock 'n1' was lost; check");
    }

    @Test
    void anEventThatComesWhileALineIsWrittenHasALineOfItsOwn() {
        add("n1");
        clock.whenRead = () -> add("n2");
        timer.run();
        timer.run();
        assertThat(lines).containsExactly("lock 'n1' was lost; check", "lock 'n2' was lost; check");
    }

    @Test
    void theEventsOfAMomentShareALine() {
        add("n1");
        add("n2");
        timer.run();
        assertThat(lines)
                .containsExactly("2 locks were lost, among them 'n1', 'n2'; the first: lock 'n1' was lost; check");
        assertThat(timer.tasks).isEmpty();
    }

    /** Runs its tasks when it is told to. */
    private static final class FakeTimer implements Platform.Timer {

        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private boolean fails;

        void run() {
            tasks.remove().run();
        }

        @Override
        public Platform.Task schedule(long delayNanos, Runnable task) {
            if (fails) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            tasks.add(task);
            return () -> {};
        }

        @Override
        public void close() {}
    }

    /** Runs an action once when it is read. */
    private static final class FakeClock extends UnusedPlatform {

        private Runnable whenRead = () -> {};

        @Override
        public long nanoTime() {
            Runnable action = whenRead;
            whenRead = () -> {};
            action.run();
            return 0;
        }
    }
}
