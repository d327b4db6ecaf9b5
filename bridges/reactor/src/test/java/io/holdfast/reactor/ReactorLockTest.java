package io.holdfast.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Permit;
import io.holdfast.StoreRefusedException;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import io.holdfast.recipes.QuorumLock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

@Tag("everywhere")
@Timeout(180)
class ReactorLockTest {

    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final String uri = "memory:" + UUID.randomUUID();
    private final ExecutorService callbacks =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "test-callback"));
    private Holdfast holdfast;
    private Holdfast other;
    private DistributedLock real;
    private DistributedLock rival;
    private ReactorLock<Lease> lock;

    @BeforeEach
    void connect() {
        holdfast = Holdfast.builder().uri(uri).callbackExecutor(callbacks).build();
        other = Holdfast.connect(uri);
        real = holdfast.lock("a");
        rival = other.lock("a");
        lock = ReactorLock.of(real);
    }

    @AfterEach
    void close() {
        holdfast.close();
        other.close();
        callbacks.shutdownNow();
    }

    private void assertFree() throws InterruptedException {
        rival.acquire(LONG).close();
    }

    private void awaitWaiter() throws InterruptedException {
        while (other.inspect("a").waiters().isEmpty()) {
            Thread.sleep(5);
        }
    }

    // ---- one result

    @Test
    void theBodyRunsWhileTheLeaseIsHeldAndItsResultArrivesAfterTheRelease() throws InterruptedException {
        AtomicBoolean held = new AtomicBoolean();
        String result = lock.withLock(lease -> Mono.fromSupplier(() -> {
                    held.set(lease.isValid() && rival.tryAcquire().isEmpty());
                    return "token " + (lease.fencingToken() > 0);
                }))
                .doOnNext(value -> assertThat(rival.isLocked()).isFalse())
                .block(LONG);
        assertThat(result).isEqualTo("token true");
        assertThat(held).isTrue();
        assertFree();
    }

    @Test
    void anEmptyBodyReleases() throws InterruptedException {
        StepVerifier.create(lock.withLock(lease -> Mono.empty())).verifyComplete();
        assertFree();
    }

    @Test
    void theErrorOfTheBodyArrivesAfterTheRelease() throws InterruptedException {
        IllegalArgumentException error = new IllegalArgumentException("body");
        StepVerifier.create(lock.withLock(lease -> Mono.error(error))
                        .doOnError(any -> assertThat(rival.isLocked()).isFalse()))
                .verifyErrorSatisfies(seen -> {
                    assertThat(seen).isSameAs(error);
                    assertThat(error.getSuppressed()).isEmpty();
                });
        assertFree();
    }

    @Test
    void aBodyThatThrowsInsteadOfReturningReleases() throws InterruptedException {
        StepVerifier.create(lock.withLock(lease -> {
                    throw new IllegalStateException("no publisher");
                }))
                .verifyErrorMessage("no publisher");
        assertFree();
    }

    @Test
    void nothingIsRequestedBeforeTheSubscriptionAndEachSubscriptionAcquiresAnew() {
        Mono<Long> tokens = lock.withLock(lease -> Mono.just(lease.fencingToken()));
        assertThat(real.isLocked()).isFalse();
        long first = tokens.block(LONG);
        long second = tokens.block(LONG);
        assertThat(second).isGreaterThan(first);
    }

    @Test
    void anUnusedMonoRequestsNothing() {
        AtomicInteger requests = new AtomicInteger();
        Mono<Integer> unused = ReactorLock.of(new ChangedLock(real.async(), future -> {
                    requests.incrementAndGet();
                    return future;
                }))
                .withLock(lease -> Mono.just(1));
        assertThat(requests).hasValue(0);
        unused.block(LONG);
        unused.block(LONG);
        assertThat(requests).hasValue(2);
    }

    @Test
    void theContextOfTheSubscriberReachesTheBody() {
        Mono<String> user = lock.withLock(lease -> Mono.deferContextual(context -> Mono.just(context.get("user"))));
        assertThat(user.contextWrite(context -> context.put("user", "me")).block(LONG))
                .isEqualTo("me");
    }

    // ---- waiting

    @Test
    void aWaitThatIsUpFailsWithATimeout() throws InterruptedException {
        try (Lease held = rival.acquire()) {
            StepVerifier.create(lock.withLock(SHORT, lease -> Mono.just("ran")))
                    .verifyError(LockTimeoutException.class);
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void anAttemptOnAHeldLockCompletesEmpty() throws InterruptedException {
        try (Lease held = rival.acquire()) {
            StepVerifier.create(lock.tryWithLock(lease -> Mono.just("ran"))).verifyComplete();
            StepVerifier.create(lock.tryWithLock(SHORT, lease -> Mono.just("ran")))
                    .verifyComplete();
            StepVerifier.create(lock.tryWithLockMany(SHORT, lease -> Flux.just("ran")))
                    .verifyComplete();
            assertThat(held.isValid()).isTrue();
        }
        StepVerifier.create(lock.tryWithLock(lease -> Mono.just("ran")))
                .expectNext("ran")
                .verifyComplete();
    }

    @Test
    void aWaiterRunsWhenTheHolderReleases() throws InterruptedException {
        Lease held = rival.acquire();
        CompletableFuture<String> result =
                lock.withLock(LONG, lease -> Mono.just("ran")).toFuture();
        awaitWaiter();
        assertThat(result).isNotDone();
        held.close();
        assertThat(result).succeedsWithin(LONG).isEqualTo("ran");
    }

    @Test
    void aClosedClientFailsTheSubscription() {
        Mono<String> mono = lock.withLock(lease -> Mono.just("ran"));
        holdfast.close();
        StepVerifier.create(mono).verifyError(IllegalStateException.class);
    }

    @Test
    void oneThreadServesManyContenders() {
        Scheduler scheduler = Schedulers.fromExecutor(callbacks);
        AtomicInteger inside = new AtomicInteger();
        Mono<Integer> one = lock.withLock(lease -> Mono.fromSupplier(inside::incrementAndGet)
                .delayElement(Duration.ofMillis(2))
                .publishOn(scheduler)
                .map(n -> n * inside.getAndDecrement()));
        List<Integer> all = Flux.range(0, 50)
                .flatMap(i -> one.subscribeOn(scheduler), 50)
                .collectList()
                .block(LONG);
        assertThat(all).hasSize(50).containsOnly(1);
    }

    @Test
    void theBodyOfAWaiterRunsOnTheCallbackExecutor() throws InterruptedException {
        Lease held = rival.acquire();
        CompletableFuture<String> thread = lock.withLock(
                        lease -> Mono.fromSupplier(() -> Thread.currentThread().getName()))
                .toFuture();
        awaitWaiter();
        held.close();
        assertThat(thread).succeedsWithin(LONG).isEqualTo("test-callback");
    }

    // ---- cancel

    @Test
    void aCancelWhileWaitingWithdrawsTheRequest() throws InterruptedException {
        try (Lease held = rival.acquire()) {
            AtomicBoolean ran = new AtomicBoolean();
            Disposable waiting = lock.withLock(lease -> Mono.fromRunnable(() -> ran.set(true)))
                    .subscribe();
            awaitWaiter();
            waiting.dispose();
            while (!other.inspect("a").waiters().isEmpty()) {
                Thread.sleep(5);
            }
            assertThat(held.isValid()).isTrue();
            assertThat(ran).isFalse();
        }
        assertFree();
    }

    @Test
    void aGrantThatArrivesDuringTheCancelIsReleased() throws InterruptedException {
        Set<Lease> granted = ConcurrentHashMap.newKeySet();
        Disposable waiting = ReactorLock.of(new ChangedLock(real.async(), future -> new CompletableFuture<Lease>() {
                    @Override
                    public boolean cancel(boolean interrupt) {
                        granted.add(future.join());
                        complete(future.join());
                        return super.cancel(interrupt);
                    }
                }))
                .withLock(lease -> Mono.never())
                .subscribe();
        waiting.dispose();
        assertThat(granted)
                .hasSize(1)
                .allSatisfy(lease -> assertThat(lease.isValid()).isFalse());
        assertFree();
    }

    @Test
    void aRequestThatStartsDuringTheCancelIsReleased() throws InterruptedException {
        AtomicReference<LeaseOfSubscription<Lease, Lease>> acquisition = new AtomicReference<>();
        AtomicReference<Lease> granted = new AtomicReference<>();
        Request<Lease, Lease> request = Request.certain(() -> {
            CompletableFuture<Lease> future = real.async().acquire();
            granted.set(future.join());
            acquisition.get().release().block(LONG);
            return future;
        });
        LockGrants<Lease> grants = new LockGrants<>(real.async(), Lease::closeAsync, Lease::onLost);
        acquisition.set(new LeaseOfSubscription<>(grants, request));
        StepVerifier.create(acquisition.get().lease()).verifyComplete();
        assertThat(granted.get().isValid()).isFalse();
        assertFree();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCancelOfTheBodyReleases() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean canceled = new AtomicBoolean();
        Disposable running = lock.withLock(lease ->
                        Mono.never().doOnRequest(any -> started.countDown()).doOnCancel(() -> canceled.set(true)))
                .subscribe();
        await(started);
        running.dispose();
        assertThat(canceled).isTrue();
        assertFree();
    }

    // ---- loss

    @Test
    void aLossCancelsTheBodyAndFailsTheMono() {
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean canceled = new AtomicBoolean();
        CompletableFuture<Object> result = lock.withLock(lease ->
                        Mono.never().doOnRequest(any -> started.countDown()).doOnCancel(() -> canceled.set(true)))
                .toFuture();
        await(started);
        assertThat(rival.forceUnlock()).isTrue();
        assertThat(result).failsWithin(LONG).withThrowableThat().havingCause().isInstanceOf(LeaseLostException.class);
        assertThat(canceled).isTrue();
    }

    @Test
    void aBodyThatCompletesAfterTheLossIsNoSuccess() {
        AtomicBoolean emitted = new AtomicBoolean();
        StepVerifier.create(lock.withLock(lease -> Mono.fromSupplier(rival::forceUnlock))
                        .doOnNext(any -> emitted.set(true)))
                .verifyError(LeaseLostException.class);
        assertThat(emitted).isFalse();
    }

    @Test
    void aBodyThatIgnoresItsCancelCannotTurnALossIntoASuccess() {
        Sinks.One<String> work = Sinks.one();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> result = lock.withLock(lease ->
                        Mono.<String>fromFuture(work.asMono().toFuture(), true).doOnRequest(any -> started.countDown()))
                .toFuture();
        await(started);
        rival.forceUnlock();
        work.tryEmitValue("too late");
        assertThat(result).failsWithin(LONG).withThrowableThat().havingCause().isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossIsReportedEvenIfTheBodyClosesItsLease() {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Object> result = lock.withLock(lease -> Mono.never()
                        .doOnRequest(any -> started.countDown())
                        .doOnCancel(() -> {
                            var unused = lease.closeAsync();
                        }))
                .toFuture();
        await(started);
        rival.forceUnlock();
        assertThat(result).failsWithin(LONG).withThrowableThat().havingCause().isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aFluxThatCompletesAfterTheLossFailsAfterItsElements() {
        StepVerifier.create(lock.withLockMany(lease -> Flux.just(1, 2).doOnComplete(rival::forceUnlock)))
                .expectNext(1, 2)
                .verifyError(LeaseLostException.class);
    }

    @Test
    void theFailureOfTheReleaseIsSuppressedInTheErrorOfTheBody() {
        LeaseLostException lost = new LeaseLostException("a", 1, "planned");
        ReactorLock<Lease> failing = ReactorLock.of(
                new ChangedLock(real.async(), future -> future.thenApply(lease -> failingAtItsRelease(lease, lost))));
        StepVerifier.create(failing.withLock(lease -> Mono.error(new IllegalStateException("body"))))
                .verifyErrorSatisfies(error -> {
                    assertThat(error)
                            .isInstanceOfAny(IllegalStateException.class)
                            .hasMessage("body");
                    assertThat(error.getSuppressed()).containsExactly(lost);
                });
    }

    /** A loss that only the release finds. */
    private static Lease failingAtItsRelease(Lease lease, LeaseLostException lost) {
        return (Lease) Proxy.newProxyInstance(
                Lease.class.getClassLoader(),
                new Class<?>[] {Lease.class},
                (proxy, method, arguments) -> method.getName().equals("closeAsync")
                        ? lease.closeAsync().thenCompose(nothing -> CompletableFuture.failedFuture(lost))
                        : method.invoke(lease, arguments));
    }

    // ---- many results

    @Test
    void aFluxEmitsWhileTheLeaseIsHeldAndCompletesAfterTheRelease() throws InterruptedException {
        StepVerifier.create(lock.withLockMany(LONG, lease -> Flux.range(1, 3))
                        .doOnNext(i -> assertThat(rival.tryAcquire()).isEmpty())
                        .doOnComplete(() -> assertThat(rival.isLocked()).isFalse()))
                .expectNext(1, 2, 3)
                .verifyComplete();
        assertFree();
    }

    @Test
    void anOperatorThatEndsAFluxEarlyReleases() throws InterruptedException {
        assertThat(lock.withLockMany(lease -> Flux.interval(Duration.ofMillis(1)))
                        .take(2)
                        .collectList()
                        .block(LONG))
                .containsExactly(0L, 1L);
        assertFree();
    }

    // ---- other kinds of locks

    @Test
    void aMultiLockHoldsEachMember() throws InterruptedException {
        DistributedLock second = holdfast.lock("b");
        ReactorLock<MultiLease> both = ReactorLock.of(MultiLock.of(List.of(real, second)));
        StepVerifier.create(both.withLock(
                        LONG,
                        lease -> Mono.fromSupplier(() -> lease.isValid() && rival.isLocked() && second.isLocked())))
                .expectNext(true)
                .verifyComplete();
        assertThat(second.isLocked()).isFalse();
        StepVerifier.create(both.withLock(lease -> Mono.fromSupplier(rival::forceUnlock)))
                .verifyError(LeaseLostException.class);
    }

    @Test
    void aQuorumLockIsHeldWhileTheBodyRuns() {
        try (Holdfast second = Holdfast.connect(uri + "2");
                Holdfast third = Holdfast.connect(uri + "3")) {
            QuorumLock quorum = QuorumLock.of(List.of(holdfast, second, third), "q");
            StepVerifier.create(ReactorLock.of(quorum.async()).withLock(LONG, lease -> Mono.just(lease.isValid())))
                    .expectNext(true)
                    .verifyComplete();
            assertThat(holdfast.lock("q").isLocked()).isFalse();
        }
    }

    @Test
    void permitsAreHeldWhileTheBodyRuns() {
        DistributedSemaphore semaphore = holdfast.semaphore("s");
        ReactorLock<Permit> two = ReactorLock.of(semaphore, 2);
        StepVerifier.create(two.withLock(permit -> Mono.just(1))).verifyError(StoreRefusedException.class);
        semaphore.setPermits(3);
        StepVerifier.create(two.withLock(LONG, permit -> Mono.fromSupplier(semaphore::available)))
                .expectNext(1)
                .verifyComplete();
        assertThat(semaphore.available()).isEqualTo(3);
        StepVerifier.create(two.withLock(permit -> Mono.fromRunnable(() -> semaphore.release(permit.id()))))
                .verifyError(LeaseLostException.class);
    }

    @Test
    void aWaitForPermitsThatIsUpFailsWithATimeoutOrCompletesEmpty() {
        DistributedSemaphore semaphore = holdfast.semaphore("s");
        semaphore.setPermits(1);
        try (Permit held = semaphore.tryAcquire().orElseThrow()) {
            ReactorLock<Permit> one = ReactorLock.of(semaphore, 1);
            StepVerifier.create(one.withLock(SHORT, permit -> Mono.just(1)))
                    .verifyErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(LockTimeoutException.class)
                            .hasMessageContaining("semaphore 's': 1 permit(s) were not acquired within 50 ms"));
            StepVerifier.create(one.tryWithLock(permit -> Mono.just(1))).verifyComplete();
            assertThat(held.isValid()).isTrue();
        }
    }

    // ---- bad arguments

    @Test
    void aBadArgumentThrowsAtTheCall() {
        assertThatNullPointerException().isThrownBy(() -> lock.withLock(null));
        assertThatNullPointerException().isThrownBy(() -> lock.withLock(null, lease -> Mono.empty()));
        assertThatNullPointerException().isThrownBy(() -> ReactorLock.of((DistributedLock) null));
        DistributedSemaphore semaphore = holdfast.semaphore("s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReactorLock.of(semaphore, 0))
                .withMessage("semaphore 's': 0 permits: pass at least 1");
        assertThatThrownBy(() -> lock.tryWithLock(SHORT, null)).isInstanceOf(NullPointerException.class);
    }

    // ---- errors that Reactor does not pass on

    @Test
    void aBodyThatThrowsAFatalErrorReleasesTheLease() throws InterruptedException {
        NoClassDefFoundError fatal = new NoClassDefFoundError("missing");
        StepVerifier.create(lock.<String>withLock(lease -> {
                    throw fatal;
                }))
                .verifyErrorSatisfies(error -> assertThat(error).isSameAs(fatal));
        assertFree();
        StepVerifier.create(lock.<String>withLock(lease -> Mono.fromCallable(() -> {
                    throw fatal;
                })))
                .verifyErrorSatisfies(error -> assertThat(error).isSameAs(fatal));
        assertFree();
        StepVerifier.create(lock.<String>withLockMany(lease -> Flux.just("a").map(text -> {
                    throw fatal;
                })))
                .verifyErrorSatisfies(error -> assertThat(error).isSameAs(fatal));
        assertFree();
    }

    @Test
    void aFatalErrorOfAGrantThatArrivesLaterReleasesTheLease() throws InterruptedException {
        Lease held = rival.acquire();
        StepVerifier.create(lock.<String>withLock(lease -> {
                    throw new NoClassDefFoundError("missing");
                }))
                .then(held::close)
                .verifyError(NoClassDefFoundError.class);
        assertFree();
    }

    @Test
    void aSubscriberThatThrowsAFatalErrorReleasesTheLease() throws InterruptedException {
        NoClassDefFoundError fatal = new NoClassDefFoundError("missing");
        CompletableFuture<Throwable> dropped = new CompletableFuture<>();
        lock.withLockMany(lease -> Flux.just("a"))
                .map(text -> {
                    throw fatal;
                })
                .contextWrite(Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) dropped::complete))
                .subscribe();
        assertFree();
        assertThat(dropped).succeedsWithin(LONG).isSameAs(fatal);
    }

    @Test
    void anErrorThatIsNotFatalIsNotReportedAsDropped() throws InterruptedException {
        IllegalStateException failure = new IllegalStateException("planned");
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        StepVerifier.create(lock.<String>withLock(lease -> {
                            throw failure;
                        })
                        .contextWrite(Context.of("reactor.onErrorDropped.local", (Consumer<Throwable>) dropped::add)))
                .verifyErrorSatisfies(error -> assertThat(error).isSameAs(failure));
        assertFree();
        assertThat(dropped).isEmpty();
    }
}
