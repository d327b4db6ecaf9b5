package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Annotated methods hold their lock for as long as they run, and no longer. */
class LockedTest {

    private static final String URI = "memory:" + UUID.randomUUID();

    private static ConfigurableApplicationContext application;
    private static Holdfast other;
    private static Shop.Orders orders;

    @BeforeAll
    static void start() {
        application = application();
        other = Holdfast.connect(URI);
        orders = application.getBean(Shop.Orders.class);
    }

    private static ConfigurableApplicationContext application() {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "holdfast.uri=" + URI,
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "shop.region=eu",
                        "shop.patience=100ms")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
        other.close();
    }

    @AfterEach
    void nothingIsHeld() {
        assertThat(other.list("")).isEmpty();
    }

    private static boolean isLocked(String name) {
        return other.lock(name).isLocked();
    }

    private static Thread run(Runnable body) {
        Thread thread = new Thread(body);
        thread.start();
        return thread;
    }

    @Test
    void theLockIsHeldWhileTheMethodRuns() {
        assertThat(orders.ship(42, () -> isLocked("orders/42") && !isLocked("orders/43")))
                .isTrue();
        assertThat(isLocked("orders/42")).isFalse();
    }

    @Test
    void theLockIsReleasedIfTheMethodThrows() {
        assertThatThrownBy(() -> orders.fail(5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("order 5");
        assertThat(isLocked("orders/5")).isFalse();
    }

    @Test
    void aNestedCallIsReentrant() {
        assertThat(orders.ship(1, () -> orders.ship(1, () -> isLocked("orders/1"))))
                .isTrue();
    }

    @Test
    void expressionsPropertiesAndTokens() {
        long first = orders.token("a", -1);
        long second = orders.token("a", -1);
        assertThat(first).isPositive();
        assertThat(second).isGreaterThan(first);
        other.lock("Orders/a/eu")
                .run(() -> assertThatThrownBy(() -> orders.token("a", 0)).isInstanceOf(LockTimeoutException.class));
    }

    @Test
    void aTimeoutNamesTheMethodTheLockAndTheHolder() {
        other.lock("busy")
                .run(() -> assertThatThrownBy(orders::busy)
                        .isInstanceOf(LockTimeoutException.class)
                        .hasMessageContaining("Orders.busy did not acquire lock 'busy' within 50 ms: ")
                        .hasMessageContaining(other.clientId()));
    }

    @Test
    void aMethodMayBeSkippedOrReplaced() {
        other.lock("busy").run(() -> {
            assertThat(orders.skipped()).isEmpty();
            assertThat(orders.withFallback("x")).isEqualTo("instead x");
        });
        assertThat(orders.skipped()).contains("ran");
        assertThat(orders.withFallback("x")).isEqualTo("ran x");
    }

    @Test
    void aConditionDecidesWhetherTheLockIsNeeded() {
        other.lock("busy").run(() -> {
            assertThat(orders.onCondition(10)).isEqualTo("ran 10");
            assertThatThrownBy(() -> orders.onCondition(11)).isInstanceOf(LockTimeoutException.class);
        });
    }

    @Test
    void readersShareAndExcludeTheWriter() {
        orders.read(() -> {
            assertThat(other.readWriteLock("catalog").readLock().tryLock()).isTrue();
            other.readWriteLock("catalog").readLock().unlock();
            Thread writer = run(() -> assertThatThrownBy(orders::write).isInstanceOf(LockTimeoutException.class));
            join(writer);
        });
        orders.write();
    }

    private static void join(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(20));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void aFairLockIsThatOfItsName() {
        orders.fair(() -> assertThat(isLocked("queue")).isTrue());
    }

    @Test
    void permitsAreHeldTogether() {
        assertThatThrownBy(() -> orders.download(() -> {}))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("has no permits yet: call trySetPermits first");
        other.semaphore("downloads").setPermits(3);
        orders.download(
                () -> assertThat(other.semaphore("downloads").available()).isOne());
        assertThat(other.semaphore("downloads").available()).isEqualTo(3);
        other.semaphore("downloads").delete();
    }

    @Test
    void aLossWhileTheMethodRunsIsThrownAfterIt() {
        assertThatThrownBy(() -> orders.overrun(() -> lose("short"))).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theFailureOfTheMethodIsNotHiddenByALoss() {
        assertThatThrownBy(() -> orders.overrun(() -> {
                    lose("short");
                    throw new IllegalArgumentException("planned");
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class));
    }

    /** Takes the lock from the application, and waits until the application knows that. */
    private static void lose(String name) {
        Holdfast client = application.getBean(Holdfast.class);
        long before = client.stats().lost();
        assertThat(other.lock(name).forceUnlock()).isTrue();
        await(() -> client.stats().lost() > before);
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anAnnotationOfTheApplicationStandsForIt() {
        orders.byMeta(3, () -> assertThat(isLocked("meta/3")).isTrue());
        other.lock("meta/3")
                .run(() ->
                        assertThatThrownBy(() -> orders.byMeta(3, () -> {})).isInstanceOf(LockTimeoutException.class));
    }

    @Test
    void anAnnotationOnAClassIsForItsPublicMethods() {
        Shop.Whole whole = application.getBean(Shop.Whole.class);
        whole.one(() -> assertThat(isLocked("whole")).isTrue());
        whole.two(() -> assertThat(isLocked("whole")).isFalse());
        whole.two(() -> assertThat(isLocked("other")).isTrue());
        whole.notPublic(() -> assertThat(isLocked("whole")).isFalse());
    }

    @Test
    void anAnnotationOnAnInterfaceCounts() {
        Shop.Contract contract = application.getBean(Shop.Contract.class);
        contract.run(9, () -> assertThat(isLocked("contract/9")).isTrue());
        assertThat(contract.token(0)).isPositive();
    }

    // ---- stages and publishers

    @Test
    void aStageHoldsTheLockUntilItEnds() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = orders.stage(work).toCompletableFuture();
        assertThat(isLocked("stage")).isTrue();
        assertThat(orders.skippedStage().get(10, TimeUnit.SECONDS)).isNull();
        work.complete("done");
        assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(isLocked("stage")).isFalse();
    }

    @Test
    void aStageThatFailsReleasesTheLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = orders.stage(work).toCompletableFuture();
        work.completeExceptionally(new IllegalArgumentException("planned"));
        assertThatThrownBy(() -> result.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("planned");
        assertThat(isLocked("stage")).isFalse();
    }

    @Test
    void aPublisherHoldsTheLockFromSubscriptionToItsEnd() {
        Sinks.One<Long> sink = Sinks.one();
        Mono<Long> mono = orders.mono(sink.asMono(), 0L);
        assertThat(isLocked("mono")).isFalse();
        AtomicReference<Long> result = new AtomicReference<>();
        Disposable subscription = mono.subscribe(result::set);
        awaitLocked("mono", true);
        assertThatThrownBy(() -> orders.flux().collectList().block(Duration.ofSeconds(10)))
                .isInstanceOf(LockTimeoutException.class);
        sink.tryEmitValue(17L);
        await(() -> result.get() != null && subscription.isDisposed());
        assertThat(result.get()).isEqualTo(17);
        assertThat(isLocked("mono")).isFalse();
        assertThat(orders.flux().collectList().block(Duration.ofSeconds(10))).containsExactly("a", "b");
    }

    @Test
    void eachSubscriptionAcquiresAnew() {
        int before = Shop.MONO_CALLS.get();
        Mono<Long> mono = orders.mono(Mono.empty(), 0L);
        Long first = mono.block(Duration.ofSeconds(10));
        Long second = mono.block(Duration.ofSeconds(10));
        assertThat(first).isPositive();
        assertThat(second).isGreaterThan(first);
        assertThat(Shop.MONO_CALLS.get() - before).isEqualTo(2);
    }

    @Test
    void aCanceledSubscriptionReleasesTheLock() {
        Disposable subscription = orders.mono(Mono.never(), 0L).subscribe();
        awaitLocked("mono", true);
        subscription.dispose();
        awaitLocked("mono", false);
    }

    @Test
    void aCanceledSubscriptionThatWaitsIsWithdrawn() {
        other.lock("mono").lock();
        Disposable subscription = orders.mono(Mono.just(1L), 0L).subscribe();
        Holdfast own = application.getBean(Holdfast.class);
        await(() -> own.stats().waiting() == 1);
        subscription.dispose();
        await(() -> own.stats().waiting() == 0);
        other.lock("mono").unlock();
        assertThat(isLocked("mono")).isFalse();
    }

    private static void awaitLocked(String name, boolean locked) {
        await(() -> isLocked(name) == locked);
    }

    private static void await(java.util.function.BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            sleep(Duration.ofMillis(5));
        }
    }

    // ---- transactions

    @Test
    void aTransactionCommitsBeforeTheRelease() throws InterruptedException {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("create table counter (amount int)");
        jdbc.update("insert into counter values (0)");
        Shop.Outer outer = application.getBean(Shop.Outer.class);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(run(() -> {
                for (int j = 0; j < 10; j++) {
                    outer.increment();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
        }
        assertThat(jdbc.queryForObject("select amount from counter", Integer.class))
                .isEqualTo(80);
    }

    @Test
    void inATransactionOfTheCallerTheReleaseWaitsForItsEnd() {
        application.getBean(JdbcTemplate.class).execute("create table if not exists shipped (id int)");
        Shop.Outer outer = application.getBean(Shop.Outer.class);
        outer.transaction(other);
        assertThat(outer.seen()).contains("locked after the inner method: true");
        assertThat(isLocked("orders/7")).isFalse();
    }

    @Test
    void aTransactionWhoseLockIsLostDoesNotCommit() {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("create table if not exists shipped (id int)");
        Shop.Outer outer = application.getBean(Shop.Outer.class);
        assertThatThrownBy(() -> outer.transactionThatLosesItsLock(() -> lose("short")))
                .isInstanceOf(LeaseLostException.class);
        assertThat(jdbc.queryForObject("select count(*) from shipped where id = 8", Integer.class))
                .isZero();
    }

    @Test
    void aTransactionOfTheMethodWhoseLockIsLostDoesNotCommit() {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("create table if not exists shipped (id int)");
        Shop.Outer outer = application.getBean(Shop.Outer.class);
        assertThatThrownBy(() -> outer.lockedTransaction(9, () -> lose("shipped/9")))
                .isInstanceOf(LeaseLostException.class);
        outer.lockedTransaction(10, () -> {});
        assertThat(jdbc.queryForList("select id from shipped where id in (9, 10)", Integer.class))
                .containsExactly(10);
    }

    @Test
    void aTransactionWithAStageWhoseLockIsLostDoesNotCommit() {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("create table if not exists shipped (id int)");
        Shop.Outer outer = application.getBean(Shop.Outer.class);
        assertThatThrownBy(() -> outer.lockedTransactionWithAStage(11, () -> lose("shipped/11")))
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> outer.transactionWhoseStageLosesItsLock(12, () -> lose("short")))
                .isInstanceOf(LeaseLostException.class);
        outer.transactionWhoseStageLosesItsLock(13, () -> {});
        assertThat(jdbc.queryForList("select id from shipped where id in (11, 12, 13)", Integer.class))
                .containsExactly(13);
    }

    @Test
    void aTransactionThatOutlivesItsMethodCommits() {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("create table if not exists shipped (id int)");
        PlatformTransactionManager transactions = application.getBean(PlatformTransactionManager.class);
        TransactionStatus begun = orders.begun(transactions);
        jdbc.update("insert into shipped values (14)");
        transactions.commit(begun);
        assertThat(jdbc.queryForObject("select count(*) from shipped where id = 14", Integer.class))
                .isOne();
    }

    @Test
    void aThreadThatHoldsALockToReadIsNotMadeToWaitForItself() {
        assertThatThrownBy(() -> orders.read(orders::write))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Orders.write: this thread holds read/write lock 'catalog' to read");
    }

    @Test
    void aPublisherThatWritesLaterMayBeCreatedUnderTheReadLock() {
        AtomicReference<Mono<String>> later = new AtomicReference<>();
        orders.read(() -> later.set(orders.writeLater()));
        assertThat(later.get().block(Duration.ofSeconds(20))).isEqualTo("written");
    }

    @Test
    void aLostReadLockIsReportedAsLostToAWriter() {
        Holdfast client = application.getBean(Holdfast.class);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        assertThatThrownBy(() -> orders.read(() -> {
                    other.readWriteLock("catalog").readLock().forceUnlock();
                    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                    while (client.readWriteLock("catalog").readLock().isValid()) {
                        assertThat(System.nanoTime() - deadline).isNegative();
                        sleep(Duration.ofMillis(5));
                    }
                    thrown.set(catchThrowable(orders::write));
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(thrown.get()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void inATransactionOfTheCallerAStageEndsBeforeTheRelease() {
        Shop.Outer outer = application.getBean(Shop.Outer.class);
        outer.transactionWithAStage(other);
        assertThat(outer.seen()).contains("done, locked: true");
        awaitLocked("stage", false);
    }

    // ---- ends of waits

    @Test
    void anInterruptEndsTheWait() {
        other.lock("patient").lock();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> status = new AtomicReference<>();
        Thread waiter = run(() -> {
            try {
                orders.patient();
            } catch (RuntimeException e) {
                thrown.set(e);
                status.set(Thread.currentThread().isInterrupted());
            }
        });
        await(() -> application.getBean(Holdfast.class).stats().waiting() == 1);
        waiter.interrupt();
        join(waiter);
        assertThat(thrown.get()).isInstanceOf(LockInterruptedException.class).hasMessageContaining("'patient'");
        assertThat(status.get()).isTrue();
        other.lock("patient").unlock();
    }

    @Test
    void aMethodThatDeclaresItThrowsInterruptedException() {
        other.lock("patient").lock();
        Thread.currentThread().interrupt();
        assertThatThrownBy(orders::interruptible).isInstanceOf(InterruptedException.class);
        other.lock("patient").unlock();
    }

    @Test
    void theEndOfTheApplicationEndsAWait() {
        other.lock("patient").lock();
        ConfigurableApplicationContext second = application();
        Shop.Orders bean = second.getBean(Shop.Orders.class);
        Holdfast client = second.getBean(Holdfast.class);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = run(() -> {
            try {
                bean.patient();
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        await(() -> client.stats().waiting() == 1);
        second.close();
        join(waiter);
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        other.lock("patient").unlock();
    }
}
