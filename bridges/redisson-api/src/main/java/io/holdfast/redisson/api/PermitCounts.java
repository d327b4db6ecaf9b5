package io.holdfast.redisson.api;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedSemaphore;

/** The methods of both kinds of semaphores that are about the number of permits. */
abstract class PermitCounts {

    final DistributedSemaphore semaphore;

    PermitCounts(DistributedSemaphore semaphore) {
        this.semaphore = semaphore;
    }

    public final String getName() {
        return semaphore.name();
    }

    @InBackground
    public final int availablePermits() {
        return semaphore.available();
    }

    @InBackground
    public final boolean trySetPermits(int permits) {
        return semaphore.trySetPermits(permits);
    }

    @InBackground
    public final void addPermits(int permits) {
        semaphore.addPermits(permits);
    }

    @InBackground
    public final boolean isExists() {
        return semaphore.permits() > 0;
    }

    @InBackground
    public final boolean delete() {
        return semaphore.delete();
    }

    @Override
    public final String toString() {
        return "semaphore " + quoted(semaphore.name());
    }
}
