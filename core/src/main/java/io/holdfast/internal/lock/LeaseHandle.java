package io.holdfast.internal.lock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.LossAction;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.OwnedLease;
import io.holdfast.internal.slot.Settlement;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lease object of the user. The engine refers to it by a {@link WeakReference} only. So it detects that the lease was
 * forgotten, which means that it was garbage-collected without being closed.
 */
public class LeaseHandle implements LeaseAccess, OwnedLease {

    private final ClientParts client;
    private final String name;
    private final WeakReference<Object> reference = new WeakReference<>(this);

    /** The first close: it completes when its release is known. Null until then. */
    private final AtomicReference<@Nullable CompletableFuture<Void>> closing = new AtomicReference<>();

    /**
     * The actions for the loss. Only this object refers to them. An action may refer to the lease, so a reference from the
     * engine would keep the lease alive.
     */
    private final List<LossAction> lossActions = new CopyOnWriteArrayList<>();

    private volatile @Nullable Runnable closeAction;

    private volatile @Nullable Hold hold;

    public LeaseHandle(ClientParts client, String name) {
        this.client = client;
        this.name = name;
    }

    final WeakReference<Object> reference() {
        return reference;
    }

    /** Binds this lease to the hold of the outcome. If the outcome is an error, throws it. */
    public LeaseHandle bind(Outcome outcome) {
        hold = outcome.hold().orElseThrow();
        return this;
    }

    protected final Hold hold() {
        return Objects.requireNonNull(hold);
    }

    /** Returns the hold for a call by the current thread. */
    private Hold used() {
        Hold used = hold();
        used.usedBy(Thread.currentThread());
        return used;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return used().token;
    }

    @Override
    public boolean isValid() {
        return client.holds().validity().valid(used());
    }

    @Override
    public Duration remainingLease() {
        return client.holds().validity().remaining(used());
    }

    @Override
    public void ensureValid(Duration atLeast) {
        requireOpen();
        client.holds().renewals().ensureValid(used(), atLeast);
    }

    @Override
    public Lease onLost(Consumer<LeaseLostException> action) {
        client.holds().validity().onLost(used(), lossActions, new LossAction(action, true));
        return this;
    }

    @Override
    public void whenLost(Consumer<LeaseLostException> action) {
        client.holds().validity().onLost(hold(), lossActions, new LossAction(action, false));
    }

    @Override
    public final List<LossAction> lossActions() {
        return lossActions;
    }

    @Override
    public void whenClientCloses(Runnable action) {
        closeAction = action;
        // close race: the action is set first. So either this check sees the close, or the close sees the action
        if (hold().ended && client.tasks().isClosed()) {
            clientClosed();
        }
    }

    @Override
    public void clientClosed() {
        Runnable action = closeAction;
        if (action != null) {
            action.run();
        }
    }

    @Override
    public boolean isDelivered() {
        return hold != null;
    }

    @Override
    public void extend(Duration lease) {
        Durations.requireLease(hold().slot.label() + ": lease", lease);
        requireOpen();
        client.holds().renewals().extend(used(), lease);
    }

    private void requireOpen() {
        if (closing.get() != null) {
            throw ErrorTexts.closedLease(hold());
        }
    }

    @Override
    public void close() {
        startClose().run();
    }

    @Override
    public Runnable startClose() {
        return onFirstClose(this::startRelease, first -> () -> awaitKnown(first));
    }

    private Runnable startRelease(CompletableFuture<Void> known) {
        Runnable rest = client.holds().releases().startRelease(hold());
        return () -> {
            try {
                rest.run();
            } finally {
                known.complete(null);
            }
        };
    }

    /** Bounded, because the thread may be the one that runs the callbacks on which the first close depends. */
    private void awaitKnown(CompletableFuture<Void> first) {
        long timeout = client.settings().store().commandTimeout().toNanos();
        Awaiting.done(client.platform(), first, timeout);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return close(client.tasks().callbacks());
    }

    private CompletableFuture<Void> close(Executor executor) {
        return onFirstClose(
                known -> {
                    CompletableFuture<Void> released = client.holds().releases().releaseAsync(hold(), executor);
                    Awaiting.whenDone(released, () -> known.complete(null));
                    return released;
                },
                first -> first.thenRunAsync(() -> {}, executor));
    }

    /** Releases the hold if it is the first close. A later one receives a future that completes when the release is known. */
    private <T> T onFirstClose(
            Function<CompletableFuture<Void>, T> release, Function<CompletableFuture<Void>, T> later) {
        CompletableFuture<Void> known = new CompletableFuture<>();
        CompletableFuture<Void> first = closing.compareAndExchange(null, known);
        if (first != null) {
            return later.apply(first);
        }
        try {
            T released = release.apply(known);
            Settlement settlement = hold().settlement;
            if (settlement == null) {
                known.complete(null);
            } else {
                Awaiting.whenDone(settlement.verdict, () -> known.complete(null));
            }
            return released;
        } catch (RuntimeException | Error e) {
            known.complete(null);
            throw e;
        }
    }

    // ---- member of a quorum lock

    @Override
    public boolean isOver() {
        return client.holds().validity().isOver(hold());
    }

    @Override
    public CompletableFuture<Boolean> renew(long floor) {
        return client.holds().renewals().renew(hold(), floor);
    }

    @Override
    public CompletableFuture<Boolean> extendAsync(Duration lease) {
        return client.holds().renewals().extendAsync(hold(), lease);
    }

    @Override
    public CompletableFuture<Void> releaseAsync() {
        return close(client.tasks().background());
    }

    @Override
    public void abandon() {
        client.holds().releases().abandon(hold());
    }

    @Override
    public String toString() {
        Hold current = hold;
        return current == null
                ? noun() + " of " + quoted(name)
                : noun() + " of " + current.slot.label() + ", token " + current.token + ", " + state();
    }

    protected String noun() {
        return "lease";
    }

    private String state() {
        return closing.get() != null
                ? "closed"
                : client.holds().validity().valid(hold())
                        ? "valid for "
                                + client.holds().validity().remaining(hold()).toMillis() + " ms"
                        : "not valid";
    }
}
