package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.spring.boot.HoldfastAutoConfiguration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** A final class has a proxy of its interface, in an application that wants such proxies. */
class FinalClassTest {

    private final String uri = "memory:" + UUID.randomUUID();

    interface Work {

        boolean run(BooleanSupplier body);
    }

    @Transactional
    static final class Billing implements Work {

        @Override
        public boolean run(BooleanSupplier body) {
            return body.getAsBoolean();
        }
    }

    @Transactional
    static final class Shipping implements Work {

        @Override
        @Locked("shipping")
        public boolean run(BooleanSupplier body) {
            return body.getAsBoolean();
        }
    }

    static final class Transactions implements PlatformTransactionManager {

        private final AtomicInteger commits = new AtomicInteger();

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {
            commits.incrementAndGet();
        }

        @Override
        public void rollback(TransactionStatus status) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {}

    @Test
    void keepsTransactionsAndLocksOfFinalClassesWithInterfaces() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withBean("transactions", Transactions.class)
                .withBean("billing", Billing.class)
                .withBean("shipping", Shipping.class)
                .withPropertyValues("holdfast.uri=" + uri, "spring.aop.proxy-target-class=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    try (Holdfast other = Holdfast.connect(uri)) {
                        BooleanSupplier isLocked = () -> other.lock("shipping").isLocked();
                        assertThat(context.getBean("billing", Work.class).run(isLocked))
                                .isFalse();
                        assertThat(context.getBean("shipping", Work.class).run(isLocked))
                                .isTrue();
                    }
                    assertThat(context.getBean(Transactions.class).commits).hasValue(2);
                });
    }
}
