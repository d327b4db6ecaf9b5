package io.holdfast.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Platform;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A task for which no thread can be started while its pool is closed. */
@Tag("everywhere")
class PoolTest {

    private final List<String> ran = new ArrayList<>();
    private final Pool pool = new Pool(new NoThreads(), new ClosedTimer(), "pool", 1, Runnable::run);

    @Test
    void runsATaskThatComesWhenTheTimerIsClosed() {
        pool.close();
        pool.execute(() -> ran.add("late"));
        assertThat(ran).containsExactly("late");
    }

    private static final class ClosedTimer implements Platform.Timer {

        @Override
        public Platform.Task schedule(long delayNanos, Runnable task) {
            return () -> {};
        }

        @Override
        public void close() {}
    }

    /** Has workers that can start no thread. */
    private static final class NoThreads extends UnusedPlatform {

        @Override
        public Worker worker(String threadName, int threads) {
            return new Worker() {
                @Override
                public void execute(Runnable task) {
                    throw new OutOfMemoryError("unable to create native thread");
                }

                @Override
                public void close() {}
            };
        }
    }
}
