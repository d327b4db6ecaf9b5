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
        HoldfastLockProvider provider = new HoldfastLockProvider(Holdfast.connect(args[0]));
        long asked = System.currentTimeMillis();
        FencedSimpleLock lock = provider.tryLock(
                        new LockConfiguration(Instant.now(), "job", Duration.parse(args[2]), Duration.parse(args[3])))
                .orElseThrow();
        if (args[1].equals("unlocked")) {
            lock.unlock();
        }
        System.out.println(asked + " " + lock.fencingToken());
        Runtime.getRuntime().halt(0);
    }
}
