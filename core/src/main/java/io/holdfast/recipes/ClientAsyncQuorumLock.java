package io.holdfast.recipes;

import io.holdfast.AsyncLock;
import io.holdfast.internal.access.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** The lease API of a quorum lock with futures. */
record ClientAsyncQuorumLock(ClientQuorumLock lock) implements AsyncLock<QuorumLease> {

    @Override
    public CompletableFuture<QuorumLease> acquire() {
        return start(request(Optional.empty(), Durations.NEVER), Optional::orElseThrow);
    }

    @Override
    public CompletableFuture<QuorumLease> acquire(Duration wait) {
        QuorumRequest request = request(Optional.empty(), Durations.nanos(wait));
        return start(
                request, got -> got.orElseThrow(() -> QuorumTexts.timedOut(lock.servers(), request.waitedMillis())));
    }

    @Override
    public CompletableFuture<Optional<QuorumLease>> tryAcquire() {
        return start(request(Optional.empty(), 0), got -> got);
    }

    @Override
    public CompletableFuture<Optional<QuorumLease>> tryAcquire(Duration wait) {
        return start(request(Optional.empty(), Durations.nanos(wait)), got -> got);
    }

    @Override
    public CompletableFuture<Optional<QuorumLease>> tryAcquire(Duration wait, Duration lease) {
        return start(request(lock.own(lease), Durations.nanos(wait)), got -> got);
    }

    private QuorumRequest request(Optional<Duration> own, long wait) {
        return new QuorumRequest(lock.servers(), own, wait, null);
    }

    /**
     * Starts a request. If the future ends first, the request is withdrawn. A hold that arrives after the future has ended is
     * released.
     */
    private <T> CompletableFuture<T> start(QuorumRequest request, Function<Optional<QuorumLease>, T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        start(request, result, future);
        return future;
    }

    private <T> void start(
            QuorumRequest request, Function<Optional<QuorumLease>, T> result, CompletableFuture<T> future) {
        var unusedAnswer = request.start()
                .whenComplete((got, error) -> lock.servers().callBack("the answer", () -> {
                    if (error != null) {
                        future.completeExceptionally(error);
                    } else if (got.isPresent() && !got.get().isValid() && !future.isDone()) {
                        startAgain(request, got.get(), result, future);
                    } else {
                        deliver(future, result, got);
                    }
                }));
        var unused = future.whenComplete((value, error) -> withdraw(request));
    }

    private <T> void startAgain(
            QuorumRequest request,
            QuorumHold tooLate,
            Function<Optional<QuorumLease>, T> result,
            CompletableFuture<T> future) {
        var unused = request.again(tooLate).whenComplete((next, error) -> {
            if (error == null) {
                start(next, result, future);
            } else {
                lock.servers().callBack("the answer", () -> future.completeExceptionally(cause(error)));
            }
        });
    }

    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private static void withdraw(QuorumRequest request) {
        var unused = request.withdraw();
    }

    private <T> void deliver(
            CompletableFuture<T> future, Function<Optional<QuorumLease>, T> result, Optional<QuorumHold> got) {
        try {
            T value = result.apply(got.map(hold -> new ClientQuorumLease(lock.servers(), hold)));
            if (!future.complete(value)) {
                got.ifPresent(hold -> {
                    var unused = hold.end();
                });
            }
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
    }
}
