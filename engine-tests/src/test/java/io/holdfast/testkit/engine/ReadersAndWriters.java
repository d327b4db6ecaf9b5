package io.holdfast.testkit.engine;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.testkit.SimThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** A read/write lock at two clients, and others who want it. */
abstract class ReadersAndWriters extends VirtualTime {

    static final Duration SHORT = Duration.ofMillis(1);
    static final Duration PAUSE = Duration.ofMillis(100);

    final DistributedReadWriteLock atA = a.readWriteLock("n");
    final DistributedReadWriteLock atB = b.readWriteLock("n");
    final List<String> order = new ArrayList<>();
    final List<SimThread> others = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        others.forEach(SimThread::join);
        assertNothingIsLeft();
    }

    /** A thread that locks, notes that it has, and unlocks after the work; it has locked or waits when this returns. */
    SimThread other(String name, DistributedLock lock, Duration work) {
        SimThread other = start(name, () -> {
            lock.lock();
            order.add(name);
            sim.sleep(work);
            lock.unlock();
        });
        others.add(other);
        sim.runFor(SHORT);
        return other;
    }

    boolean inOther(BooleanSupplier question) {
        boolean[] answer = {false};
        start("other", () -> answer[0] = question.getAsBoolean()).join();
        return answer[0];
    }
}
