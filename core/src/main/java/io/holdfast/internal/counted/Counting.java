package io.holdfast.internal.counted;

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
 *   <li>A change without an answer is sent again with the same id, by which the store knows that it was applied. So a lost
 *       answer does not count twice.
 *   <li>The store remembers an id for one minute. So a change is repeated for half a minute at most.
 *   <li>One change of a name is under way. The others wait, each for the command timeout at most. So the store has to remember
 *       only the last change of each client.
 *   <li>A late duplicate is refused by its time limit, which is over before the store forgets the first copy.
 * </ol>
 *
 * @param ids creates the ids of changes, whose numbers rise in the order in which the changes are sent
 * @param turns the turns of the changes
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
    private static final long MOST_BACKOFF_NANOS = 1_000_000_000;
    private static final long MOST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Duration MOST_LIFE_OF_A_COPY = Duration.ofSeconds(25);

    Platform platform() {
        return settings.store().platform();
    }

    /** Asks the store, which must have counters. */
    <R> CompletableFuture<R> ask(Function<CounterStore, CompletionStage<R>> question) {
        return calls.ask(() -> question.apply(store.counters().orElseThrow()));
    }

    /** Makes a change, and waits for the answer. Returns {@link Change.Done#applied}. */
    boolean change(String what, String name, Change.Kind kind, int amount, Optional<Duration> life) {
        requireOpen(what, name);
        Turn turn = new Turn(
                new ChangeTurns.Counter(kind.ofLatch(), name),
                () -> new Change(kind, name, ids.get(), amount, life, 0));
        turn.enter();
        return join(what, name, turn.done, true);
    }

    PermitReport permits(String name) {
        requireOpen("semaphore", name);
        return join("semaphore", name, ask(counters -> counters.permits(name)), false);
    }

    /** Returns the state of a semaphore; empty if it was given no permits, or if the store has no counters. */
    public Optional<SemaphoreReport> semaphore(String name) {
        requireOpen("semaphore", name);
        Optional<PermitReport> report = store.counters().map(any -> permits(name));
        return report.filter(given -> given.limit().isPresent()).map(given -> given.of(name));
    }

    /** Returns the state of all names that begin with the prefix. The list is empty if the store has no counters. */
    public <T> List<T> list(String what, String prefix, Function<CounterStore, CompletionStage<List<T>>> question) {
        requireOpen(what, prefix);
        return store.counters()
                .map(counters -> join(what, prefix, calls.ask(() -> question.apply(counters)), false))
                .orElse(List.of());
    }

    /** Takes a permit away from its holder. Returns {@code true} if it was held. */
    boolean revoke(String name, TenureId permit) {
        requireOpen("semaphore", name);
        return join("semaphore", name, ask(counters -> counters.revoke(name, permit)), true);
    }

    void requireOpen(String what, String name) {
        if (tasks.isClosed()) {
            throw closed(what + " '" + name + "'");
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
            throw closed(what + " '" + name + "'");
        }
    }

    static HoldfastException failure(String what, String name, boolean changes, StoreException cause) {
        String text = what + " '" + name + "': " + cause.getMessage();
        return changes && cause.effect().mayBeApplied()
                ? new IndeterminateLockException(name, text + "; outcome unknown: it may have been changed", cause)
                : ErrorTexts.failure(name, text, cause);
    }

    /** A change that waits for its turn. The first of two events counts: its turn comes, or its time is up. */
    private final class Turn {

        private final CompletableFuture<Boolean> done = new CompletableFuture<>();
        private final AtomicBoolean over = new AtomicBoolean();
        private final ChangeTurns.Counter counter;
        private final Supplier<Change> change;

        Turn(ChangeTurns.Counter counter, Supplier<Change> change) {
            this.counter = counter;
            this.change = change;
        }

        void enter() {
            turns.enter(counter, this::begin);
            if (!over.get()) {
                Platform.Task timeout = tasks.runByClose(Math.min(config.command(), config.outage()), this::giveUp);
                Awaiting.whenDone(done, timeout::cancel);
            }
        }

        private boolean begin() {
            boolean first = over.compareAndSet(false, true);
            if (first) {
                Awaiting.whenDone(done, () -> turns.leave(counter));
                try {
                    new Repeated(change.get(), done).send(0);
                } catch (Throwable e) {
                    // nothing was sent; without an end, the turn would hold up all later changes
                    done.completeExceptionally(new StoreException(Effect.NOT_APPLIED, "could not be sent: " + e, e));
                }
            }
            return first;
        }

        private void giveUp() {
            if (over.compareAndSet(false, true)) {
                done.completeExceptionally(
                        new StoreException(Effect.NOT_APPLIED, "the change before this one was not answered in time"));
            }
        }
    }

    /** One change, which is repeated until it is answered or patience is over. */
    private final class Repeated {

        private final CompletableFuture<Boolean> done;
        private final long began = platform().nanoTime();
        private final Change change;
        private volatile boolean mayBeApplied;

        Repeated(Change change, CompletableFuture<Boolean> done) {
            this.change = change;
            this.done = done;
        }

        void send(int failures) {
            long sent = platform().nanoTime();
            Duration command = settings.store().commandTimeout();
            Duration life = command.compareTo(MOST_LIFE_OF_A_COPY) < 0 ? command : MOST_LIFE_OF_A_COPY;
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
            } else {
                send(failures);
            }
        }

        private void failed(StoreException cause, int failures) {
            mayBeApplied |= cause.effect().mayBeApplied();
            long patience = mayBeApplied ? MOST_PATIENCE_NANOS : config.command();
            boolean over = tasks.isClosed() || platform().nanoTime() - began >= Math.min(patience, config.outage());
            if (over || cause.effect() == Effect.REFUSED) {
                // a refusal of this copy says nothing about the copies before it, which may be applied
                done.completeExceptionally(
                        mayBeApplied ? new StoreException(Effect.UNKNOWN, cause.getMessage() + "", cause) : cause);
            } else {
                long delay = HoldSpec.doubled(FIRST_BACKOFF_NANOS, failures, MOST_BACKOFF_NANOS);
                // the close of the client runs it early
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
