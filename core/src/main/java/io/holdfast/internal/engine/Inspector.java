package io.holdfast.internal.engine;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.HoldfastException;
import io.holdfast.IndeterminateLockException;
import io.holdfast.LockReport;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.HoldSpec;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.Slot;
import io.holdfast.spi.StoreException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The queries about names, apart from those about the caller's own hold. */
public final class Inspector {

    private static final long QUERY_NANOS = 300_000_000;

    private final Engine engine;

    Inspector(Engine engine) {
        this.engine = engine;
    }

    /** Returns the description of the store. */
    public String store() {
        return engine.store.describe();
    }

    public LockReport inspect(String name) {
        return ask("lock " + quoted(name), name, false, () -> engine.store.inspect(name));
    }

    public List<LockReport> list(String prefix) {
        return ask("the list of locks " + quoted(prefix + "*"), prefix, false, () -> engine.store.list(prefix));
    }

    public Optional<LockReport.Holder> forceRelease(String name) {
        try {
            return ask("lock " + quoted(name), name, true, () -> engine.store.forceRelease(name));
        } finally {
            // an owner of this client must not acquire a lingering tenure that may have been forced free
            engine.slots
                    .lingeringSlots(name)
                    .forEach(slot -> engine.event(slot, (s, out) -> s.putInDoubt(engine.platform.nanoTime(), out)));
        }
    }

    /** Asks the store for the holder of a name, without blocking. */
    public CompletionStage<LockReport> inspectAsync(String name) {
        requireOpen("lock " + quoted(name));
        return engine.calls.ask(() -> engine.store.inspect(name));
    }

    private void requireOpen(String label) {
        if (engine.tasks.isClosed()) {
            throw ErrorTexts.closed(label, engine.settings.name());
        }
    }

    private <R> R ask(String label, String name, boolean changes, Supplier<CompletionStage<R>> query) {
        requireOpen(label);
        CompletableFuture<R> answer = engine.calls.ask(query);
        Awaiting.done(engine.platform, answer, Durations.NEVER);
        try {
            return answer.join();
        } catch (CompletionException e) {
            StoreException cause = (StoreException) Objects.requireNonNull(e.getCause());
            throw engine.calls.isEndedByClose(cause, changes)
                    ? ErrorTexts.closed(label, engine.settings.name())
                    : failure(label, name, changes, cause);
        }
    }

    private static HoldfastException failure(String label, String name, boolean changes, StoreException cause) {
        String text = label + ": " + cause.getMessage();
        return changes && cause.effect().mayBeApplied()
                ? new IndeterminateLockException(name, text + "; outcome unknown: it may have been released", cause)
                : ErrorTexts.failure(name, text, cause);
    }

    /**
     * Creates the error for a wait that timed out, without blocking a thread. It first asks the store, briefly, who holds the
     * name.
     */
    public CompletableFuture<LockTimeoutException> timeout(String name, long startedAt, Outcome.Busy busy) {
        long waited = (engine.platform.nanoTime() - startedAt) / 1_000_000;
        CompletableFuture<LockReport> answer = engine.calls.ask(() -> engine.store.inspect(name));
        return engine.tasks.doneOrTimeout(answer, QUERY_NANOS).thenApply(done -> {
            boolean answered = answer.isDone() && !answer.isCompletedExceptionally();
            Optional<LockReport> report = answered ? Optional.of(answer.join()) : Optional.empty();
            return new LockTimeoutException(name, ErrorTexts.busy(name, waited, report, busy.holder(), store()));
        });
    }

    /** Creates the error for a store whose grants arrive after their lease has ended. */
    public StoreUnavailableException tooSlow(String name, HoldSpec spec) {
        StoreException cause = leaseTooShort(spec);
        return new StoreUnavailableException(
                name, ErrorTexts.label(spec.share().mode(), name) + " was not acquired: " + cause.getMessage(), cause);
    }

    /** Creates the cause for a grant that no waiter receives, because its lease ended before the answer arrived. */
    StoreException leaseTooShort(HoldSpec spec) {
        return new StoreException(
                StoreException.Effect.UNCONFIRMED,
                store() + " granted it, but the answer took longer than the lease of "
                        + spec.lease().toMillis() + " ms is valid; use a longer lease");
    }

    /** Describes the state of the name at this client, for an error text. */
    public String heldHere(String name) {
        return engine.slots
                .holds(name)
                .findFirst()
                .map(hold -> "held by " + hold.owner() + " (token " + hold.token + ")")
                .orElseGet(() -> engine.slots.of(name).anyMatch(Slot::hasLostHolds)
                        ? "lost, and not yet unlocked"
                        : notHeldHere(name));
    }

    private String notHeldHere(String name) {
        if (engine.slots.lingeringTenure(name).isPresent()) {
            return "lingering, without an owner";
        }
        return engine.slots.of(name).findAny().isPresent() ? "being acquired or released" : "not held";
    }
}
