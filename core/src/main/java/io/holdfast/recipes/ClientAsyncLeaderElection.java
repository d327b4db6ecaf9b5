package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The campaign methods with futures. */
record ClientAsyncLeaderElection(ClientLeaderElection election) implements AsyncLeaderElection {

    private AsyncLock<Lease> lock() {
        return election.lock().async();
    }

    @Override
    public CompletableFuture<Leadership> campaign() {
        return leadWhenAcquired(lock().acquire());
    }

    @Override
    public CompletableFuture<Leadership> campaign(Duration wait) {
        return leadWhenAcquired(lock().acquire(wait));
    }

    @Override
    public CompletableFuture<Optional<Leadership>> tryCampaign() {
        return leadIfAcquired(lock().tryAcquire());
    }

    @Override
    public CompletableFuture<Optional<Leadership>> tryCampaign(Duration wait) {
        return leadIfAcquired(lock().tryAcquire(wait));
    }

    private CompletableFuture<Leadership> leadWhenAcquired(CompletableFuture<Lease> request) {
        Relay<Leadership> relay = new Relay<>();
        relay.track(request, lease -> relay.deliver(lease, () -> election.lead(lease)), relay::fail);
        return relay.future();
    }

    private CompletableFuture<Optional<Leadership>> leadIfAcquired(CompletableFuture<Optional<Lease>> request) {
        Relay<Optional<Leadership>> relay = new Relay<>();
        relay.track(
                request,
                lease -> lease.ifPresentOrElse(
                        acquired -> relay.deliver(acquired, () -> Optional.of(election.lead(acquired))),
                        () -> relay.complete(Optional.empty())),
                relay::fail);
        return relay.future();
    }
}
