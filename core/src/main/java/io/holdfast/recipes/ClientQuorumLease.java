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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/** A hold of a majority, in the form that its user sees. */
final class ClientQuorumLease implements QuorumLease {

    private final QuorumServers servers;
    private final QuorumHold hold;
    private final AtomicBoolean closed = new AtomicBoolean();

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
        return hold.valid();
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
        if (closed.get()) {
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
        if (isValid() && hold.own().isPresent()) {
            throw QuorumTexts.endsEarlier(servers, remainingLease(), atLeast);
        }
        // the validity decides, whatever was answered in time
        var unused = confirm(memberLease -> memberLease.renew(fencingToken()));
        requireNotLost();
        if (!isValid() || remainingLease().compareTo(atLeast) < 0) {
            throw QuorumTexts.unconfirmed(servers, "a validity of " + atLeast.toMillis() + " ms", remainingLease());
        }
    }

    private void requireAttainable(Duration atLeast) {
        Duration most = servers.open().validityOf(servers.lease(hold.longest()));
        if (atLeast.isNegative() || atLeast.compareTo(most) > 0) {
            throw new IllegalArgumentException(servers + ": atLeast " + atLeast + " is out of range: zero to "
                    + most.toMillis() + " ms, the lease less its margin");
        }
    }

    /**
     * Asks all servers at once, and waits until a majority has confirmed, or no longer can. It waits for at most the command
     * timeout.
     */
    private boolean confirm(Function<LeaseAccess, CompletableFuture<Boolean>> ask) {
        CompletableFuture<Boolean> enough =
                MajorityVote.of(hold.memberLeases().stream().map(ask).toList(), servers.majority());
        Platform.Task timer = servers.later(servers.commandTimeout(), () -> enough.complete(false));
        Awaiting.done(servers.platform(), enough, Durations.NEVER);
        timer.cancel();
        return enough.join();
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
        if (hold.own().isEmpty()) {
            throw QuorumTexts.renewed(servers);
        }
        if (!confirm(memberLease -> memberLease.extendAsync(lease))) {
            requireNotLost();
            throw QuorumTexts.unconfirmed(servers, "the extension", remainingLease());
        }
        hold.endIn(Optional.of(lease));
    }

    /** Adds a level to the hold. If the level has a lease that ends later than the hold, the end of the hold is moved. */
    void enter(Optional<Duration> own) {
        requireNotLost();
        if (own.isEmpty() && hold.own().isPresent()) {
            throw QuorumTexts.notRenewed(servers);
        }
        if (!isValid()) {
            ensureValid(Duration.ZERO);
        }
        own.filter(lease -> hold.own().isPresent()).ifPresent(this::extend);
    }

    @Override
    public void close() {
        CompletableFuture<Void> ended = ending();
        Awaiting.done(servers.platform(), ended, Durations.NEVER);
        try {
            ended.join();
        } catch (CompletionException e) {
            throw Awaiting.cause(e) instanceof RuntimeException cause ? cause : e;
        }
    }

    private CompletableFuture<Void> ending() {
        return closed.compareAndSet(false, true) ? hold.end() : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return ending().whenCompleteAsync((nothing, lost) -> {}, task -> servers.callBack("the end", task));
    }

    @Override
    public String toString() {
        return "lease of " + servers + ", token " + fencingToken() + ", "
                + (closed.get()
                        ? "closed"
                        : "valid at " + heldAt() + " for " + remainingLease().toMillis() + " ms");
    }
}
