package io.holdfast.testkit.crowd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Faults of a server while the threads of two processes contend: each in random order, as often as the system property {@code
 * holdfast.outages} says. The seed is printed; {@code holdfast.seed} sets it.
 *
 * @param title the title of what is printed
 * @param uri the URI of the server
 * @param lease the lease of the locks
 * @param recovery the time within which all threads are served after a fault
 */
public record FaultRounds(String title, String uri, Duration lease, Duration recovery) {

    /** The number of processes. */
    public static final int PROCESSES = 2;

    /** The time for which the crowd works between two faults. */
    public static final Duration WORK = Duration.ofMillis(700);

    private static final int THREADS = 4;
    private static final int MIN_GRANTS = 200;
    private static final int MIN_WAITS = 50;
    private static final int ROUNDS = Integer.getInteger("holdfast.outages", 1);
    private static final long SEED = Long.getLong("holdfast.seed", System.nanoTime());

    /** Injects a fault, and ends it. */
    public interface Injection<F> {

        /** Injects the fault, and ends it. */
        void inject(F fault, Crowd crowd) throws Exception;
    }

    /**
     * Runs all faults.
     *
     * @throws AssertionError if a promise was broken, if too little happened, or if a lock is held or awaited at the end
     */
    public <F extends Enum<F>> void run(Class<F> kinds, Injection<F> injection) throws Exception {
        Map<F, Integer> injected = new EnumMap<>(kinds);
        try (Crowd crowd = Crowd.start(uri, CrowdPlan.ofHoldfast(lease, PROCESSES, THREADS))) {
            for (F fault : faults(kinds)) {
                crowd.work(WORK);
                System.out.println(fault);
                injection.inject(fault, crowd);
                long ended = System.nanoTime();
                crowd.awaitAllServed(recovery);
                System.out.printf(
                        "%s: all are served %d ms after it%n", fault, (System.nanoTime() - ended) / 1_000_000);
                crowd.fill();
                System.out.printf("all work %d ms after it%n", (System.nanoTime() - ended) / 1_000_000);
                injected.merge(fault, 1, Integer::sum);
            }
            crowd.work(WORK);
            Crowd.Outcome outcome = crowd.end();
            System.out.println(title + ": seed " + SEED + ", " + outcome + ", " + injected);
            assertTrue(outcome.grants() > MIN_GRANTS * ROUNDS, () -> "too few grants: " + outcome);
            assertTrue(outcome.waits() > MIN_WAITS * ROUNDS, () -> "too few waits: " + outcome);
            assertTrue(outcome.losses() > 0, () -> "no losses while the server is stopped: " + outcome);
        }
        assertEquals(kinds.getEnumConstants().length, injected.size());
        assertNothingIsLeft();
    }

    private static <F extends Enum<F>> List<F> faults(Class<F> kinds) {
        List<F> faults = new ArrayList<>();
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            List<F> round = Arrays.asList(kinds.getEnumConstants());
            Collections.shuffle(round, random);
            faults.addAll(round);
        }
        return faults;
    }

    /** What a process held that was killed is free when its lease has ended. */
    private void assertNothingIsLeft() {
        try (Holdfast client = Holdfast.connect(uri)) {
            Await.until("no name is held or awaited", () -> client.list("").isEmpty());
        }
    }
}
