package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.AsyncLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waiters with leases of their own that are shorter than a claim window: each is served once, by few commands. */
class ShortLeaseTest {

    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration LEASE = Duration.ofMillis(700);
    private static final int MOST_CALLS = 60;

    private final Servers servers = Servers.shared();
    private final Holdfast first = Holdfast.connect(servers.uri());
    private final Holdfast second = Holdfast.connect(servers.uri());
    private final String name = Servers.name();

    @AfterEach
    void nothingIsLeft() {
        Await.until(
                "nothing is known of those who waited",
                () -> servers.keysOf(name).stream().noneMatch(key -> key.matches(".*}:p?s:.*")));
        first.close();
        second.close();
    }

    /** Two in each client, behind one who holds; what they get they give back at once. */
    private <T> void allAreServed(
            Runnable held,
            Consumer<T> close,
            Supplier<CompletableFuture<Optional<T>>> here,
            Supplier<CompletableFuture<Optional<T>>> there) {
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            for (Supplier<CompletableFuture<Optional<T>>> client : List.of(here, there)) {
                all.add(client.get()
                        .thenApply(got -> served(got.orElseThrow(), close))
                        .exceptionally(ShortLeaseTest::isTooLate));
            }
        }
        Await.until("they wait", () -> calls() >= 5);
        long before = calls();
        held.run();
        assertThat(all).allSatisfy(served -> assertThat(Await.reply(served)).isTrue());
        assertThat(calls() - before).isLessThan(MOST_CALLS);
    }

    /** Also if the machine stalls for longer than its lease. */
    private static <T> boolean served(T got, Consumer<T> close) {
        try {
            close.accept(got);
        } catch (LeaseLostException e) {
            assertThat(e.name()).isNotEmpty();
        }
        return true;
    }

    private static boolean isTooLate(Throwable error) {
        assertThat(error).hasStackTraceContaining("the answer took longer than the lease");
        return true;
    }

    private long calls() {
        return first.stats().storeCalls() + second.stats().storeCalls();
    }

    private void allAreServed(Lease held, AsyncLock<Lease> here, AsyncLock<Lease> there) {
        allAreServed(
                held::close, Lease::close, () -> here.tryAcquire(WAIT, LEASE), () -> there.tryAcquire(WAIT, LEASE));
    }

    @Test
    void andWithdrawsItsPlaceInTime() throws InterruptedException {
        CompletableFuture<Lease> next;
        try (Lease held = first.fairLock(name).acquire()) {
            assertThat(held.isValid()).isTrue();
            next = second.fairLock(name).async().acquire();
            assertThat(second.fairLock(name).tryLock(Duration.ofMillis(10), LEASE))
                    .isFalse();
            assertThat(second.lock(name).tryLock(Duration.ofMillis(10), LEASE)).isFalse();
            Await.until(
                    "no lease is kept",
                    () -> servers.redis.hkeys("hf:{" + name + "}:s:" + name).equals(List.of("!")));
        }
        Await.reply(next).close();
    }

    @Test
    void atALock() throws InterruptedException {
        allAreServed(
                first.lock(name).acquire(),
                first.lock(name).async(),
                second.lock(name).async());
    }

    @Test
    void atAFairLock() throws InterruptedException {
        allAreServed(
                first.fairLock(name).acquire(),
                first.fairLock(name).async(),
                second.fairLock(name).async());
    }

    @Test
    void toWrite() throws InterruptedException {
        allAreServed(
                first.readWriteLock(name).writeLock().acquire(),
                first.readWriteLock(name).writeLock().async(),
                second.readWriteLock(name).writeLock().async());
    }

    @Test
    void atASemaphore() throws InterruptedException {
        first.semaphore(name).trySetPermits(1);
        allAreServed(
                first.semaphore(name).acquire()::close,
                Permit::close,
                () -> first.semaphore(name).async().tryAcquire(1, WAIT, LEASE),
                () -> second.semaphore(name).async().tryAcquire(1, WAIT, LEASE));
    }

    @Test
    void atAFairSemaphore() throws InterruptedException {
        first.semaphore(name).trySetPermits(1);
        allAreServed(
                first.semaphore(name).acquire()::close,
                Permit::close,
                () -> first.fairSemaphore(name).async().tryAcquire(1, WAIT, LEASE),
                () -> second.fairSemaphore(name).async().tryAcquire(1, WAIT, LEASE));
    }
}
