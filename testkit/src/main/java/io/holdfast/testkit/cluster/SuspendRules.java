package io.holdfast.testkit.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.StoreProvider;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import io.holdfast.testkit.cluster.SuspendedProcess.Report;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The machine of a client is suspended, for less than its session and for longer. Its {@code nanoTime} stands still meanwhile, so
 * it knows of the suspend by its wall clock alone.
 */
public abstract class SuspendRules {

    /** More than the holds that a store may verify in place of all. */
    private static final int LOCKS = 20;

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final StoreProvider provider;
    private final String uri;

    /** Creates the rules for the stores of a provider, at servers whose sessions last for some seconds. */
    protected SuspendRules(StoreProvider provider, String uri) {
        this.provider = provider;
        this.uri = uri;
    }

    @Test
    void losesAllHoldsWhoseSessionEndedDuringASuspend() throws Exception {
        try (StoreClient other = new StoreClient(provider, uri, config -> config);
                SuspendedProcess holder = new SuspendedProcess(uri, "suspended", LOCKS)) {
            await(holder, report -> report.valid() == LOCKS);
            holder.suspend();
            IntStream.range(0, LOCKS)
                    .mapToObj(number -> "suspended" + number)
                    .forEach(name -> Await.until("others acquire " + name, () -> isGranted(other, name)));
            holder.resume();
            await(holder, report -> {
                assertEquals(0, report.wasSuspended() ? report.valid() : 0, "valid beside the holds of another");
                return report.lost() == LOCKS;
            });
        }
    }

    @Test
    void keepsAllHoldsWhoseSessionSurvivedASuspend() throws Exception {
        try (SuspendedProcess holder = new SuspendedProcess(uri, "survives", LOCKS)) {
            await(holder, report -> report.valid() == LOCKS);
            holder.suspend();
            Thread.sleep(SHORT.toMillis());
            holder.resume();
            await(holder, report -> {
                assertEquals(0, report.lost(), "lost");
                return report.wasSuspended() && report.valid() == LOCKS;
            });
        }
    }

    private static void await(SuspendedProcess holder, Predicate<Report> condition) {
        assertTimeoutPreemptively(LIMIT, () -> {
            while (!condition.test(holder.next())) {
                // the next report
            }
        });
    }

    private static boolean isGranted(StoreClient client, String name) {
        return client.acquire(name, 1) instanceof Acquire.Granted;
    }
}
