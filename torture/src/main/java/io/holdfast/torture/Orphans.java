package io.holdfast.torture;

import io.holdfast.Holdfast;
import io.holdfast.SemaphoreReport;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.crowd.CrowdViolation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Finds names of a crowd that stay held or awaited though nobody works any more. */
final class Orphans {

    private static final long LOOK_NANOS = 100_000_000;

    private Orphans() {}

    /** Returns a violation for each name that is not free within the limit. */
    static List<CrowdViolation> of(String uri, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try (Holdfast client = Holdfast.connect(uri)) {
            List<String> left = left(client);
            while (!left.isEmpty() && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(LOOK_NANOS);
                left = left(client);
            }
            return left.stream().map(text -> new CrowdViolation("ORPHAN", text)).toList();
        }
    }

    private static boolean isUsed(SemaphoreReport semaphore) {
        return semaphore.waiting() > 0 || !semaphore.holders().isEmpty();
    }

    /** Returns the names, or why they are not known. */
    private static List<String> left(Holdfast client) {
        try {
            return Stream.concat(
                            Stream.of("n-", "bystander").flatMap(prefix -> client.list(prefix).stream()),
                            client.listSemaphores("n-").stream().filter(Orphans::isUsed))
                    .map(String::valueOf)
                    .toList();
        } catch (StoreUnavailableException e) {
            return List.of(String.valueOf(e));
        }
    }
}
