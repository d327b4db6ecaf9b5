package io.holdfast.internal.quorum;

import io.holdfast.LeaseLostException;
import io.holdfast.QuorumLease;
import io.holdfast.internal.Awaiting;
import io.holdfast.internal.Durations;
import io.holdfast.internal.multi.Patience;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/** A hold of a majority, as its user sees it. */
final class HeldQuorum implements QuorumLease {

    private final Servers servers;
    private final Holding holding;
    private final AtomicBoolean closed = new AtomicBoolean();

    HeldQuorum(Servers servers, Holding holding) {
        this.servers = servers;
        this.holding = holding;
    }

    @Override
    public String lockName() {
        return servers.name();
    }

    @Override
    public long token() {
        return holding.token();
    }

    @Override
    public int heldAt() {
        return holding.valid();
    }

    @Override
    public boolean isValid() {
        return holding.isValid();
    }

    @Override
    public Duration remaining() {
        return holding.remaining();
    }

    void requireNotLost() {
        if (closed.get()) {
            throw Texts.closed(servers, token());
        }
        holding.loss().ifPresent(lost -> {
            throw lost;
        });
    }

    @Override
    public void ensureValid(Duration atLeast) {
        requireAttainable(atLeast);
        requireNotLost();
        if (isValid() && remaining().compareTo(atLeast) >= 0) {
            return;
        }
        if (isValid() && holding.own().isPresent()) {
            throw Texts.endsEarlier(servers, remaining(), atLeast);
        }
        confirm(seat -> seat.renew(token()));
        requireNotLost();
        if (!isValid() || remaining().compareTo(atLeast) < 0) {
            throw Texts.unconfirmed(servers, "a validity of " + atLeast.toMillis() + " ms", remaining());
        }
    }

    private void requireAttainable(Duration atLeast) {
        Duration most = servers.open().validityOf(servers.lease(holding.longest()));
        if (atLeast.isNegative() || atLeast.compareTo(most) > 0) {
            throw new IllegalArgumentException(servers + ": atLeast " + atLeast + " is out of range: zero to "
                    + most.toMillis() + " ms, the lease less its margin");
        }
    }

    /** Asks all at once, and waits until a majority has confirmed, or cannot any more. */
    private boolean confirm(Function<Seat, CompletableFuture<Boolean>> ask) {
        CompletableFuture<Boolean> enough =
                Ballot.of(holding.seats().stream().map(ask).toList(), servers.majority());
        Platform.Task timer = servers.later(servers.commandTimeout(), () -> enough.complete(false));
        Awaiting.done(servers.platform(), enough, Patience.ENDLESS);
        timer.cancel();
        return enough.join();
    }

    @Override
    public QuorumLease onLost(Consumer<LeaseLostException> action) {
        holding.onLost(action);
        return this;
    }

    @Override
    public void extend(Duration lease) {
        Durations.requireLease(servers + ": lease", lease);
        requireNotLost();
        if (holding.own().isEmpty()) {
            throw Texts.renewed(servers);
        }
        if (!confirm(seat -> seat.extending(lease))) {
            requireNotLost();
            throw Texts.unconfirmed(servers, "the extension", remaining());
        }
        holding.endIn(Optional.of(lease));
    }

    /** Lets the owner enter again: with a lease that ends later the hold ends later. */
    void enter(Optional<Duration> own) {
        requireNotLost();
        if (own.isEmpty() && holding.own().isPresent()) {
            throw Texts.notRenewed(servers);
        }
        if (!isValid()) {
            ensureValid(Duration.ZERO);
        }
        own.filter(lease -> holding.own().isPresent()).ifPresent(this::extend);
    }

    @Override
    public void close() {
        CompletableFuture<Void> ended = ending();
        Awaiting.done(servers.platform(), ended, Patience.ENDLESS);
        try {
            ended.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private CompletableFuture<Void> ending() {
        return closed.compareAndSet(false, true) ? holding.end() : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return ending().whenCompleteAsync((nothing, lost) -> {}, task -> servers.callBack("the end", task));
    }

    @Override
    public String toString() {
        return "lease of " + servers + ", token " + token() + ", "
                + (closed.get()
                        ? "closed"
                        : "valid at " + heldAt() + " for " + remaining().toMillis() + " ms");
    }
}
