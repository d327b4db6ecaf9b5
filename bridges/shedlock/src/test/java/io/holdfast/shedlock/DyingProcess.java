package io.holdfast.shedlock;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;

/** A process that locks, perhaps unlocks, prints when it asked and its token, and dies without closing anything. */
final class DyingProcess {

    private DyingProcess() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) {
        Holdfast client = Holdfast.builder()
                .uri(args[0])
                .connectTimeout(Duration.ofMinutes(1))
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        HoldfastLockProvider provider = new HoldfastLockProvider(client);
        // the first answer to a new process on a busy machine may come after the end of a short lock
        lock(provider, "another", Duration.ofHours(1), Duration.ZERO).unlock();
        long asked = System.currentTimeMillis();
        FencedSimpleLock lock = lock(provider, "job", Duration.parse(args[2]), Duration.parse(args[3]));
        if (args[1].equals("unlocked")) {
            lock.unlock();
        }
        System.out.println(asked + " " + lock.fencingToken());
        Runtime.getRuntime().halt(0);
    }

    private static FencedSimpleLock lock(
            HoldfastLockProvider provider, String name, Duration atMost, Duration atLeast) {
        return provider.tryLock(new LockConfiguration(Instant.now(), name, atMost, atLeast))
                .orElseThrow();
    }
}
