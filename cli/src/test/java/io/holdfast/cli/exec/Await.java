package io.holdfast.cli.exec;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what another process is about to do. */
final class Await {

    private static final long LIMIT_SECONDS = Long.getLong("holdfast.await", 150);
    private static final long STEP_MILLIS = 10;

    private Await() {}

    static void await(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                fail("not within " + LIMIT_SECONDS + " s: " + what);
            }
            Thread.sleep(STEP_MILLIS);
        }
    }
}
