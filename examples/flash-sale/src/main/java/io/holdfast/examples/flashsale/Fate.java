package io.holdfast.examples.flashsale;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Work that injects the accidents: each into the first seller of all processes that is ready for it. */
final class Fate implements Work {

    /** The number of orders for an accident that never happens. */
    static final long NEVER = Long.MAX_VALUE;

    private final Duration work;
    private final Duration pause;
    private final Map<Accident, Long> pending = new ConcurrentHashMap<>();

    /** A slow purchase takes a third longer than the lease, so that every lock that is not renewed is lost. */
    Fate(Job job) {
        work = job.work();
        pause = job.lease().multipliedBy(4).dividedBy(3);
        pending.put(Accident.HALT, job.haltAfter());
        pending.put(Accident.SLOW, job.slowAfter());
    }

    @Override
    public void perform(Journal journal) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(work.toNanos());
        for (Accident accident : Accident.values()) {
            if (journal.orders() >= pending.getOrDefault(accident, NEVER)
                    && pending.remove(accident) != null
                    && journal.claim(accident)) {
                strike(accident);
            }
        }
    }

    private void strike(Accident accident) throws InterruptedException {
        switch (accident) {
            case HALT -> Runtime.getRuntime().halt(Worker.HALTED);
            case SLOW -> TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
    }
}
