package io.holdfast.internal.lock;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.internal.slot.ErrorTexts;
import io.holdfast.internal.slot.Hold;
import io.holdfast.internal.slot.LossAction;
import io.holdfast.internal.slot.Outcome;
import io.holdfast.internal.slot.OwnedLease;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease object of the user. The engine refers to it by a {@link WeakReference} only. So it detects that the lease was
 * forgotten, which means that it was garbage-collected without being closed.
 */
public class LeaseHandle implements LeaseAccess, OwnedLease {

    private final ClientParts client;
    private final String name;
    private final WeakReference<Object> reference = new WeakReference<>(this);
    private final AtomicBoolean closed = new AtomicBoolean();

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

    @Override
    public String name() {
        return name;
    }

    @Override
    public long fencingToken() {
        return hold().token;
    }

    @Override
    public boolean isValid() {
        return client.holds().validity().valid(hold());
    }

    @Override
    public Duration remainingLease() {
        return client.holds().validity().remaining(hold());
    }

    @Override
    public void ensureValid(Duration atLeast) {
        requireOpen();
        client.holds().renewals().ensureValid(hold(), atLeast);
    }

    @Override
    public Lease onLost(Consumer<LeaseLostException> action) {
        client.holds().validity().onLost(hold(), lossActions, new LossAction(action, true));
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
        client.holds().renewals().extend(hold(), lease);
    }

    private void requireOpen() {
        if (closed.get()) {
            throw ErrorTexts.closedLease(hold());
        }
    }

    @Override
    public void close() {
        startClose().run();
    }

    @Override
    public Runnable startClose() {
        return closed.compareAndSet(false, true) ? client.holds().releases().startRelease(hold()) : () -> {};
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return close(client.tasks().callbacks());
    }

    private CompletableFuture<Void> close(Executor executor) {
        return closed.compareAndSet(false, true)
                ? client.holds().releases().releaseAsync(hold(), executor)
                : CompletableFuture.completedFuture(null);
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
        return closed.get()
                ? "closed"
                : isValid() ? "valid for " + remainingLease().toMillis() + " ms" : "not valid";
    }
}
