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
        return won(lock().acquire());
    }

    @Override
    public CompletableFuture<Leadership> campaign(Duration wait) {
        return won(lock().acquire(wait));
    }

    @Override
    public CompletableFuture<Optional<Leadership>> tryCampaign() {
        return tried(lock().tryAcquire());
    }

    @Override
    public CompletableFuture<Optional<Leadership>> tryCampaign(Duration wait) {
        return tried(lock().tryAcquire(wait));
    }

    private CompletableFuture<Leadership> won(CompletableFuture<Lease> request) {
        Relay<Leadership> relay = new Relay<>();
        relay.pursue(request, lease -> relay.deliver(lease, election.lead(lease)), relay::fail);
        return relay.future();
    }

    private CompletableFuture<Optional<Leadership>> tried(CompletableFuture<Optional<Lease>> request) {
        Relay<Optional<Leadership>> relay = new Relay<>();
        relay.pursue(
                request,
                lease -> lease.ifPresentOrElse(
                        got -> relay.deliver(got, Optional.of(election.lead(got))),
                        () -> relay.complete(Optional.empty())),
                relay::fail);
        return relay.future();
    }
}
