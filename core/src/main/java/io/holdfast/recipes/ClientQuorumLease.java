package io.holdfast.recipes;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.access.Awaiting;
import io.holdfast.internal.access.Durations;
import io.holdfast.internal.access.LeaseAccess;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A hold of a majority, in the form that its user sees. */
final class ClientQuorumLease implements QuorumLease {

    private final QuorumServers servers;
    private final QuorumHold hold;

    /** The first close; null until then. */
    private final AtomicReference<@Nullable CompletableFuture<Void>> closing = new AtomicReference<>();

    ClientQuorumLease(QuorumServers servers, QuorumHold hold) {
        this.servers = servers;
        this.hold = hold;
    }

    @Override
    public String name() {
        return servers.name();
    }

    @Override
    public long fencingToken() {
        return hold.token();
    }

    @Override
    public int heldAt() {
        return hold.validCount();
    }

    @Override
    public boolean isValid() {
        return hold.isValid();
    }

    @Override
    public Duration remainingLease() {
        return hold.remaining();
    }

    void requireNotLost() {
        if (closing.get() != null) {
            throw QuorumTexts.closed(servers, fencingToken());
        }
        hold.loss().ifPresent(lost -> {
            throw lost;
        });
    }

    @Override
    public void ensureValid(Duration atLeast) {
        requireAttainable(atLeast);
        requireNotLost();
        if (isValid() && remainingLease().compareTo(atLeast) >= 0) {
            return;
        }
        hold.lease().left().filter(left -> left.compareTo(atLeast) < 0).ifPresent(left -> {
            throw QuorumTexts.endsEarlier(servers, left, atLeast);
        });
        // the result of the vote is ignored: only the validity counts, which a late answer may also have extended
        var unused = confirm(memberLease -> memberLease.renew(fencingToken()));
        requireNotLost();
        if (!isValid() || remainingLease().compareTo(atLeast) < 0) {
            throw QuorumTexts.unconfirmed(
                    servers, "a validity of " + atLeast.toMillis() + " ms", "the hold is unchanged,", remainingLease());
        }
    }

    private void requireAttainable(Duration atLeast) {
        Duration max =
                servers.clients().open().validityOf(servers.lease(hold.lease().longest()));
        if (atLeast.isNegative() || atLeast.compareTo(max) > 0) {
            throw new IllegalArgumentException(servers + ": atLeast " + atLeast + " is out of range: zero to "
                    + max.toMillis() + " ms, the lease less its margin");
        }
    }

    /**
     * Asks all servers at once, and waits until a majority has confirmed or can no longer be reached. The wait lasts for at most
     * the command timeout.
     */
    private boolean confirm(Function<LeaseAccess, CompletableFuture<Boolean>> ask) {
        CompletableFuture<Boolean> confirmed =
                MajorityVote.of(hold.memberLeases().stream().map(ask).toList(), servers.majority());
        Platform.Task timer = servers.clients().later(servers.commandTimeout(), () -> confirmed.complete(false));
        Awaiting.done(servers.platform(), confirmed, Durations.NEVER);
        timer.cancel();
        return confirmed.join();
    }

    @Override
    public QuorumLease onLost(Consumer<LeaseLostException> action) {
        hold.onLost(action);
        return this;
    }

    @Override
    public void extend(Duration lease) {
        Durations.requireLease(servers + ": lease", lease);
        requireNotLost();
        if (hold.fixedLease().isEmpty()) {
            throw QuorumTexts.renewed(servers);
        }
        long asked = servers.platform().nanoTime();
        if (!confirm(memberLease -> memberLease.extendAsync(lease))) {
            requireNotLost();
            throw QuorumTexts.unconfirmed(
                    servers, "the extension", "its outcome is unknown, the hold is", remainingLease());
        }
        hold.lease().extend(lease, asked);
    }

    /** Adds a level to the hold. A level with a fixed lease that ends after the hold extends the hold. */
    void enter(Optional<Duration> fixedLease) {
        if (fixedLease.isEmpty() && hold.fixedLease().isPresent()) {
            throw QuorumTexts.notRenewed(servers);
        }
        if (!isValid()) {
            ensureValid(Duration.ZERO);
        }
        fixedLease.filter(lease -> hold.fixedLease().isPresent()).ifPresent(this::extend);
    }

    @Override
    public void close() {
        CompletableFuture<Void> released = release();
        Awaiting.done(servers.platform(), released, Durations.NEVER);
        try {
            released.join();
        } catch (CompletionException e) {
            throw Awaiting.cause(e) instanceof RuntimeException cause ? cause : e;
        }
    }

    private CompletableFuture<Void> release() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        CompletableFuture<Void> first = closing.compareAndExchange(null, released);
        if (first != null) {
            return first.handle((nothing, lost) -> null);
        }
        Relay.passOn(hold.release(), released::complete, released::completeExceptionally);
        return released;
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return release()
                .whenCompleteAsync(
                        (nothing, lost) -> {}, task -> servers.clients().callBack("the end", task));
    }

    @Override
    public String toString() {
        return "lease of " + servers + ", token " + fencingToken() + ", "
                + (closing.get() != null
                        ? "closed"
                        : "valid at " + heldAt() + " for " + remainingLease().toMillis() + " ms");
    }
}
