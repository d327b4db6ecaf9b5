package io.holdfast.internal.counted;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.SemaphoreReport;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.Settings;
import io.holdfast.internal.engine.Calls;
import io.holdfast.internal.engine.Tasks;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.SlotConfig;
import io.holdfast.spi.Change;
import io.holdfast.spi.CounterStore;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.PermitReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.spi.TenureId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operations of users on the counts of semaphores and latches.
 *
 * <ol>
 *   <li>A change without an answer is sent again with the same id. The store detects by the id that the change was applied, so
 *       a change never counts twice (idempotence).
 *   <li>The store remembers an id for one minute. So a change is repeated for half a minute at most.
 *   <li>At most one change of a name is under way. The others wait, each for the command timeout at most. So the store has to
 *       remember only the last change of each client.
 *   <li>A late duplicate is refused by its time limit. That limit is over before the store forgets the first copy.
 * </ol>
 *
 * <p>See C. Lee et al., "Implementing linearizability at large scale and low latency" (RIFL), SOSP 2015, for retried requests
 * that count once.
 *
 * @param ids creates the ids of changes, whose numbers rise in the order in which the changes are sent
 * @param turns the queues of changes
 */
public record Counting(
        Settings settings,
        LockStore store,
        Calls calls,
        Tasks tasks,
        SlotConfig config,
        Supplier<TenureId> ids,
        ChangeTurns turns) {

    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final long MAX_BACKOFF_NANOS = 1_000_000_000;
    private static final long MAX_REPEAT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Duration MAX_COPY_LIFE = Duration.ofSeconds(25);

    Platform platform() {
        return settings.store().platform();
    }

    /** Sends a request to the counters of the store. */
    <R> CompletableFuture<R> ask(Function<CounterStore, CompletionStage<R>> question) {
        return calls.ask(() -> question.apply(store.counters()));
    }

    /** Sends a change, and waits for the answer. Returns {@link Change.Done#applied}. */
    boolean change(String what, String name, Change.Kind kind, int amount, Optional<Duration> life) {
        requireOpen(what, name);
        QueuedChange queued = new QueuedChange(
                new ChangeTurns.Counter(kind.ofLatch(), name),
                () -> new Change(kind, name, ids.get(), amount, life, 0));
        queued.submit();
        return join(what, name, queued.done, true);
    }

    PermitReport permits(String name) {
        requireOpen("semaphore", name);
        return join("semaphore", name, ask(counters -> counters.permits(name)), false);
    }

    /** Returns the state of a semaphore; empty if its number of permits was never set. */
    public Optional<SemaphoreReport> semaphore(String name) {
        requireOpen("semaphore", name);
        return Optional.of(permits(name))
                .filter(given -> given.limit().isPresent())
                .map(given -> given.of(name));
    }

    /** Returns the state of all names that begin with the prefix. */
    public <T> List<T> list(String what, String prefix, Function<CounterStore, CompletionStage<List<T>>> question) {
        requireOpen(what, prefix);
        return join(what, prefix, ask(question), false);
    }

    /** Takes a permit away from its holder. Returns {@code true} if it was held. */
    boolean revoke(String name, TenureId permit) {
        requireOpen("semaphore", name);
        return join("semaphore", name, ask(counters -> counters.revoke(name, permit)), true);
    }

    void requireOpen(String what, String name) {
        if (tasks.isClosed()) {
            throw closed(what + " " + quoted(name));
        }
    }

    private IllegalStateException closed(String what) {
        return new IllegalStateException(what + ": the client " + settings.name() + " is closed");
    }

    <R> R join(String what, String name, CompletableFuture<R> answer, boolean changes) {
        Awaiting.done(platform(), answer, Durations.NEVER);
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreException cause
                    && (!tasks.isClosed() || (changes && cause.effect().mayBeApplied()))) {
                throw failure(what, name, changes, cause);
            }
            throw closed(what + " " + quoted(name));
        }
    }

    static HoldfastException failure(String what, String name, boolean changes, StoreException cause) {
        String text = what + " " + quoted(name) + ": " + cause.getMessage();
        return changes && cause.effect().mayBeApplied()
                ? new IndeterminateLockException(name, text + "; outcome unknown: it may have been changed", cause)
                : ErrorTexts.failure(name, text, cause);
    }

    /** A change that waits until the changes before it have finished. It either starts or expires, whichever is first. */
    private final class QueuedChange {

        private final CompletableFuture<Boolean> done = new CompletableFuture<>();
        private final AtomicBoolean decided = new AtomicBoolean();
        private final ChangeTurns.Counter counter;
        private final Supplier<Change> change;

        QueuedChange(ChangeTurns.Counter counter, Supplier<Change> change) {
            this.counter = counter;
            this.change = change;
        }

        void submit() {
            turns.submit(counter, this::start);
            if (!decided.get()) {
                Platform.Task timeout = tasks.runByClose(Math.min(config.command(), config.outage()), this::expire);
                Awaiting.whenDone(done, timeout::cancel);
            }
        }

        private boolean start() {
            boolean first = decided.compareAndSet(false, true);
            if (first) {
                Awaiting.whenDone(done, () -> turns.finish(counter));
                try {
                    new RepeatedChange(change.get(), done).send(0);
                } catch (Throwable e) {
                    // nothing was sent; a change that never completes would block all later changes
                    done.completeExceptionally(new StoreException(Effect.NOT_APPLIED, "could not be sent: " + e, e));
                }
            }
            return first;
        }

        private void expire() {
            if (decided.compareAndSet(false, true)) {
                done.completeExceptionally(
                        new StoreException(Effect.NOT_APPLIED, "the change before this one was not answered in time"));
            }
        }
    }

    /** A change that is repeated until it is answered, or until the time for repeating it is over. */
    private final class RepeatedChange {

        private final CompletableFuture<Boolean> done;
        private final long startedAt = platform().nanoTime();
        private final Change change;
        private volatile boolean mayBeApplied;
        private volatile boolean wasLate;

        RepeatedChange(Change change, CompletableFuture<Boolean> done) {
            this.change = change;
            this.done = done;
        }

        void send(int failures) {
            long sent = platform().nanoTime();
            Duration command = settings.store().commandTimeout();
            Duration life = command.compareTo(MAX_COPY_LIFE) < 0 ? command : MAX_COPY_LIFE;
            var clock = store.clock(change.name());
            Change copy = change.withNotAfter(clock.notAfter(sent, life));
            var unused = ask(counters -> counters.change(copy)).whenComplete((reply, error) -> {
                if (reply != null) {
                    clock.observe(sent, reply.serverMicros());
                }
                answered(reply, error, failures);
            });
        }

        private void answered(Change.@Nullable Reply reply, @Nullable Throwable error, int failures) {
            if (reply instanceof Change.Done answer) {
                done.complete(answer.applied());
            } else if (error instanceof StoreException cause) {
                failed(cause, failures);
            } else if (wasLate) {
                failed(ErrorTexts.tooLate(store.describe(), settings.store().commandTimeout()), failures);
            } else {
                // the first request of a name is late, because its answer sets the clock
                wasLate = true;
                send(failures);
            }
        }

        private void failed(StoreException cause, int failures) {
            mayBeApplied |= cause.effect().mayBeApplied();
            long patience = mayBeApplied ? MAX_REPEAT_NANOS : config.command();
            boolean over = tasks.isClosed() || platform().nanoTime() - startedAt >= Math.min(patience, config.outage());
            if (over || cause.effect() == Effect.REFUSED) {
                // a refusal of this copy says nothing about the earlier copies, which may have been applied
                done.completeExceptionally(
                        mayBeApplied ? new StoreException(Effect.UNKNOWN, cause.getMessage() + "", cause) : cause);
            } else {
                long delay = HoldSpec.doubled(FIRST_BACKOFF_NANOS, failures, MAX_BACKOFF_NANOS);
                // if the client is closed, the task runs at once
                var unused = tasks.runByClose(delay, () -> sendAgain(cause, failures));
            }
        }

        private void sendAgain(StoreException cause, int failures) {
            if (tasks.isClosed()) {
                failed(cause, failures);
            } else {
                send(failures + 1);
            }
        }
    }
}
