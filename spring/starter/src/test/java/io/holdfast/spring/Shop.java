package io.holdfast.spring;

import io.holdfast.Holdfast;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An application with annotated methods of all kinds, each of which runs a body of the test. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Shop {

    static final AtomicInteger MONO_CALLS = new AtomicInteger();

    @Bean
    Orders orders() {
        return new Orders();
    }

    @Bean
    Outer outer(Orders orders, JdbcTemplate jdbc) {
        return new Outer(orders, jdbc);
    }

    @Bean
    Whole whole() {
        return new Whole();
    }

    /** Counts the calls of the method that returns a publisher, inside of the lock. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor counting() {
        NameMatchMethodPointcut mono = new NameMatchMethodPointcut();
        mono.setMappedName("mono");
        return new DefaultPointcutAdvisor(mono, (MethodInterceptor) invocation -> {
            MONO_CALLS.incrementAndGet();
            return invocation.proceed();
        });
    }

    @Bean
    Contract contract() {
        return new ByContract();
    }

    @Locked
    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
    @interface OrderLock {

        @AliasFor(annotation = Locked.class, attribute = "name")
        String value();

        @AliasFor(annotation = Locked.class, attribute = "waitTime")
        String patience() default "0";
    }

    static class Orders {

        @Locked("orders/#{#id}")
        public <T> T ship(long id, Supplier<T> body) {
            return body.get();
        }

        @Locked("orders/#{#a0}")
        public void fail(long id) {
            throw new IllegalArgumentException("order " + id);
        }

        @Locked(name = "#{#root.targetClass.simpleName}/#{#root.args[0]}/${shop.region}", waitTime = "${shop.patience}")
        public long token(String id, @FencingToken long token) {
            return token;
        }

        @Locked(name = "busy", waitTime = "50ms")
        public void busy() {
            throw new AssertionError("it must not run");
        }

        @Locked(name = "busy", waitTime = "0", onFailure = OnFailure.SKIP)
        public Optional<String> skipped() {
            return Optional.of("ran");
        }

        @Locked(name = "busy", waitTime = "0", onFailure = OnFailure.FALLBACK, fallback = "instead")
        public String withFallback(String argument) {
            return "ran " + argument;
        }

        String instead(String argument) {
            return "instead " + argument;
        }

        @Locked(name = "busy", waitTime = "0", condition = "#id > 10")
        public String onCondition(int id) {
            return "ran " + id;
        }

        @Locked(name = "catalog", kind = LockKind.READ)
        public void read(Runnable body) {
            body.run();
        }

        @Locked(name = "catalog", kind = LockKind.WRITE, waitTime = "0")
        public void write() {}

        @Locked(name = "catalog", kind = LockKind.WRITE, waitTime = "0")
        public Mono<String> writeLater() {
            return Mono.just("written");
        }

        @Locked(name = "queue", kind = LockKind.FAIR)
        public void fair(Runnable body) {
            body.run();
        }

        @Locked(name = "downloads", kind = LockKind.PERMITS, permits = 2, waitTime = "0")
        public void download(Runnable body) {
            body.run();
        }

        @Locked(name = "short", lease = "1m")
        public void overrun(Runnable body) {
            body.run();
        }

        @OrderLock("meta/#{#id}")
        public void byMeta(long id, Runnable body) {
            body.run();
        }

        @Locked("stage")
        public CompletionStage<String> stage(CompletableFuture<String> result) {
            return result;
        }

        @Locked(name = "short", lease = "1m")
        public CompletableFuture<Void> shortStage() {
            return CompletableFuture.completedFuture(null);
        }

        @Locked(name = "begun")
        public TransactionStatus begun(PlatformTransactionManager transactions) {
            return transactions.getTransaction(TransactionDefinition.withDefaults());
        }

        @Locked(name = "stage", waitTime = "0", onFailure = OnFailure.SKIP)
        public CompletableFuture<String> skippedStage() {
            return CompletableFuture.completedFuture("ran");
        }

        @Locked("mono")
        public Mono<Long> mono(Mono<Long> body, @FencingToken Long token) {
            return body.defaultIfEmpty(token);
        }

        @Locked(name = "mono", waitTime = "0")
        public Flux<String> flux() {
            return Flux.just("a", "b");
        }

        @Locked("patient")
        public void patient() {
            throw new AssertionError("it must not run");
        }

        @Locked("patient")
        public void interruptible() throws InterruptedException {
            throw new AssertionError("it must not run");
        }
    }

    /** Methods with transactions. */
    static class Outer {

        private final Orders orders;
        private final JdbcTemplate jdbc;
        private final List<String> seen = new CopyOnWriteArrayList<>();

        Outer(Orders orders, JdbcTemplate jdbc) {
            this.orders = orders;
            this.jdbc = jdbc;
        }

        @Transactional
        public void transaction(Holdfast other) {
            orders.ship(7, () -> jdbc.update("insert into shipped values (7)"));
            seen.add("locked after the inner method: " + other.lock("orders/7").isLocked());
        }

        /** Loses the lock before the transaction ends. */
        @Transactional
        public void transactionThatLosesItsLock(Runnable pause) {
            orders.overrun(() -> jdbc.update("insert into shipped values (8)"));
            pause.run();
        }

        /** Its lock may be lost in the pause. */
        @Locked(name = "shipped/#{#id}", lease = "1m")
        @Transactional
        public void lockedTransaction(int id, Runnable pause) {
            jdbc.update("insert into shipped values (?)", id);
            pause.run();
        }

        /** Ends its own transaction under its own lock, and another one before the loss. */
        @Locked(name = "shipped/#{#id}", lease = "1m")
        @Transactional
        public CompletableFuture<Void> lockedTransactionWithAStage(int id, Runnable pause) {
            lockedTransaction(id, pause);
            return CompletableFuture.completedFuture(null);
        }

        /** Loses the lock of a stage before the transaction ends. */
        @Transactional
        public void transactionWhoseStageLosesItsLock(int id, Runnable pause) {
            jdbc.update("insert into shipped values (?)", id);
            orders.shortStage().join();
            pause.run();
        }

        @Transactional
        public void transactionWithAStage(Holdfast other) {
            var result = orders.stage(CompletableFuture.completedFuture("done")).toCompletableFuture();
            seen.add(result.join() + ", locked: " + other.lock("stage").isLocked());
        }

        @Locked("counter")
        @Transactional
        public void increment() {
            Integer value = jdbc.queryForObject("select amount from counter", Integer.class);
            sleep();
            jdbc.update("update counter set amount = ?", value + 1);
        }

        List<String> seen() {
            return seen;
        }

        private static void sleep() {
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** All public methods are locked, except one that says otherwise. */
    @Locked("whole")
    static class Whole {

        public void one(Runnable body) {
            body.run();
        }

        @Locked("other")
        public void two(Runnable body) {
            body.run();
        }

        void notPublic(Runnable body) {
            body.run();
        }
    }

    /** The annotation is on the interface. */
    interface Contract {

        @Locked("contract/#{#p0}")
        void run(int id, Runnable body);

        @Locked("contract")
        long token(@FencingToken long token);
    }

    static class ByContract implements Contract {

        @Override
        public void run(int id, Runnable body) {
            body.run();
        }

        @Override
        public long token(long token) {
            return token;
        }
    }
}
