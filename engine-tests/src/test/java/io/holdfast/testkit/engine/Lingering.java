package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockReport;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A lock that client a keeps for two seconds, and client b wants. */
abstract class Lingering extends VirtualTime {

    static final Duration LINGER = Duration.ofSeconds(2);
    static final Duration MILLI = Duration.ofMillis(1);
    static final Duration GRACE = Duration.ofMillis(50);
    static final Duration POLL = Duration.ofMillis(1100);

    /** Two poll intervals. */
    static final Duration PAUSE = Duration.ofSeconds(2);

    static final LockOptions LINGERING = LockOptions.defaults().withLinger(LINGER);

    final DistributedLock lock = a.lock("n", LINGERING);
    final DistributedLock plain = a.lock("n");
    final DistributedLock other = b.lock("n");

    @BeforeEach
    void firstContact() {
        use(plain);
        use(other);
    }

    @AfterEach
    void nothingIsLost() {
        sim.runFor(LINGER.plus(POLL));
        assertNothingIsLeft();
        assertThat(events(LockEvent.Lost.class)).isEmpty();
    }

    static long use(DistributedLock lock) {
        lock.lock();
        long token = lock.fencingToken();
        lock.unlock();
        return token;
    }

    final void use(DistributedLock lock, int times) {
        for (int i = 0; i < times; i++) {
            use(lock);
        }
    }

    final long callsOf(Runnable action) {
        long before = calls(a);
        action.run();
        return calls(a) - before;
    }

    final Optional<LockReport.Holder> holder() {
        return b.inspect("n").holder();
    }

    final boolean isKept() {
        return holder().filter(LockReport.Holder::isKept).isPresent();
    }

    final long retaken() {
        return a.stats().retaken();
    }
}
