package io.holdfast.jdbc.record;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LatchReport;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The limit of the requests that run at once on behalf of callers. Renewals are not counted: the limit leaves a connection for
 * them, even if all callers wait for locked rows.
 */
final class Callers {

    /** Fair, so that a caller who has waited is not overtaken until its time is up. */
    private final Semaphore admitted;

    private final long waitNanos;
    private final String address;

    /**
     * Creates the limit.
     *
     * @param most the number of requests that run at once
     * @param wait the time after which a request that was not admitted fails
     * @param address the store, for texts
     */
    Callers(int most, Duration wait, String address) {
        admitted = new Semaphore(most, true);
        waitNanos = wait.toNanos();
        this.address = address;
    }

    /** Runs a request that ends on this thread. It fails, and nothing is written, if it is not admitted in time. */
    <R> CompletionStage<R> run(String what, Supplier<CompletionStage<R>> request) {
        try {
            if (!admitted.tryAcquire(waitNanos, TimeUnit.NANOSECONDS)) {
                return failed(what, "all its connections wait, except those for renewals");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(what, "interrupted");
        }
        try {
            return request.get();
        } finally {
            admitted.release();
        }
    }

    private <R> CompletionStage<R> failed(String what, String why) {
        return CompletableFuture.failedStage(
                new StoreException(Effect.NOT_APPLIED, address + ": " + what + ": " + why));
    }

    /** Returns counters whose requests are limited. */
    CounterStore limit(CounterStore counters) {
        return new LimitedCounters(counters);
    }

    private final class LimitedCounters implements CounterStore {

        private final CounterStore counters;

        LimitedCounters(CounterStore counters) {
            this.counters = counters;
        }

        @Override
        public CompletionStage<Change.Reply> change(Change request) {
            return run("change " + quoted(request.name()), () -> counters.change(request));
        }

        @Override
        public CompletionStage<PermitReport> permits(String name) {
            return run("read " + quoted(name), () -> counters.permits(name));
        }

        @Override
        public CompletionStage<List<SemaphoreReport>> semaphores(String prefix) {
            return run("list semaphores", () -> counters.semaphores(prefix));
        }

        @Override
        public CompletionStage<List<LatchCount>> latches(String prefix) {
            return run("list latches", () -> counters.latches(prefix));
        }

        @Override
        public CompletionStage<Boolean> revoke(String name, TenureId permit) {
            return run("revoke a permit of " + quoted(name), () -> counters.revoke(name, permit));
        }

        @Override
        public CompletionStage<LatchReport> latch(String name, boolean listening) {
            return run("read " + quoted(name), () -> counters.latch(name, listening));
        }
    }
}
