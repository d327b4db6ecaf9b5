package io.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.jdbc.JdbcHoldfast;
import io.holdfast.spring.Locked;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;
import org.springframework.scheduling.concurrent.ThreadPoolExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;

/** A client is destroyed after the beans that may still use it, and before those that it uses. */
@ExtendWith(OutputCaptureExtension.class)
class ShutdownOrderTest {

    private static final long LIMIT_SECONDS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String uri = "memory:" + UUID.randomUUID();
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class));

    /** Connects a client that waits longer for an answer than a busy machine takes. */
    private static Holdfast connect(String uri) {
        return Holdfast.builder().uri(uri).commandTimeout(PATIENCE).build();
    }

    private static boolean isLocked(String uri) {
        return isLocked(connect(uri));
    }

    private static boolean isLocked(Holdfast other) {
        try (other) {
            return other.lock("n").isLocked();
        }
    }

    private static boolean isClosed(Holdfast client) {
        try {
            var unused = client.lock("n").isLocked();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    static class Jobs {

        @Locked("n")
        public boolean run(BooleanSupplier body) {
            return body.getAsBoolean();
        }
    }

    static class NamedJobs {

        @Locked(value = "n", client = "jobs")
        public boolean run(BooleanSupplier body) {
            return body.getAsBoolean();
        }
    }

    /** Completes when the bean "threads" is about to be destroyed. */
    private static final class Destruction extends CompletableFuture<Void>
            implements DestructionAwareBeanPostProcessor {

        @Override
        public void postProcessBeforeDestruction(Object bean, String name) {
            if (name.equals("threads")) {
                complete(null);
            }
        }
    }

    private static <E extends ExecutorConfigurationSupport> E waiting(E threads) {
        threads.setWaitForTasksToCompleteOnShutdown(true);
        threads.setAwaitTerminationSeconds((int) LIMIT_SECONDS);
        return threads;
    }

    private CompletableFuture<Boolean> start(ApplicationContext context, Predicate<BooleanSupplier> method) {
        return start(context, context.getBean("threads", Executor.class), method, () -> connect(uri));
    }

    /** Runs a method of a bean until the bean "threads" is destroyed. Returns {@code true} if another client sees the lock then. */
    private static CompletableFuture<Boolean> start(
            ApplicationContext context, Executor threads, Predicate<BooleanSupplier> method, Supplier<Holdfast> other) {
        Destruction destruction = context.getBean(Destruction.class);
        CompletableFuture<Void> began = new CompletableFuture<>();
        CompletableFuture<Boolean> locked = CompletableFuture.supplyAsync(
                () -> method.test(() -> {
                    began.complete(null);
                    get(destruction);
                    return isLocked(other.get());
                }),
                threads);
        get(began);
        return locked;
    }

    @Test
    void keepsLockUntilTheTasksOfAnOwnSchedulerHaveEnded() {
        AtomicReference<CompletableFuture<Boolean>> locked = new AtomicReference<>();
        runner.withBean(Destruction.class)
                .withBean("threads", ThreadPoolTaskScheduler.class, () -> waiting(new ThreadPoolTaskScheduler()))
                .withBean("jobs", Jobs.class)
                .withPropertyValues("holdfast.uri=" + uri)
                .run(context -> locked.set(start(context, context.getBean(Jobs.class)::run)));
        assertThat(get(locked.get())).isTrue();
    }

    @Test
    void keepsLockOfNamedClientUntilTheTasksOfAnOwnExecutorHaveEnded() {
        AtomicReference<CompletableFuture<Boolean>> locked = new AtomicReference<>();
        runner.withBean(Destruction.class)
                .withBean(
                        "threads",
                        ThreadPoolExecutorFactoryBean.class,
                        () -> waiting(new ThreadPoolExecutorFactoryBean()))
                .withBean("jobs", NamedJobs.class)
                .withPropertyValues("holdfast.clients.jobs.uri=" + uri)
                .run(context -> locked.set(start(context, context.getBean(NamedJobs.class)::run)));
        assertThat(get(locked.get())).isTrue();
    }

    /** A job that runs a task. */
    public static class Task implements Job {

        private static final String TASK = "task";

        @Override
        public void execute(JobExecutionContext execution) {
            ((Runnable) execution.getMergedJobDataMap().get(TASK)).run();
        }

        static void schedule(Scheduler scheduler, Runnable task) {
            JobDataMap data = new JobDataMap();
            data.put(TASK, task);
            try {
                scheduler.scheduleJob(
                        JobBuilder.newJob(Task.class).usingJobData(data).build(),
                        TriggerBuilder.newTrigger().startNow().build());
            } catch (SchedulerException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static SchedulerFactoryBean waitingForJobs() {
        SchedulerFactoryBean scheduler = new SchedulerFactoryBean();
        scheduler.setWaitForJobsToCompleteOnShutdown(true);
        return scheduler;
    }

    @Test
    void keepsLockUntilTheJobsOfQuartzHaveEnded() {
        AtomicReference<CompletableFuture<Boolean>> locked = new AtomicReference<>();
        runner.withBean(Destruction.class)
                .withBean("threads", SchedulerFactoryBean.class, ShutdownOrderTest::waitingForJobs)
                .withBean("jobs", Jobs.class)
                .withPropertyValues("holdfast.uri=" + uri)
                .run(context -> {
                    Scheduler scheduler = context.getBean(Scheduler.class);
                    locked.set(start(
                            context,
                            task -> Task.schedule(scheduler, task),
                            context.getBean(Jobs.class)::run,
                            () -> connect(uri)));
                });
        assertThat(get(locked.get())).isTrue();
    }

    /** Ends an application while its executor runs an annotated method. */
    private void assertKeepsLock(
            ApplicationContextRunner application, Supplier<Holdfast> other, CapturedOutput output) {
        AtomicReference<CompletableFuture<Boolean>> locked = new AtomicReference<>();
        AtomicInteger end = new AtomicInteger();
        application
                .withBean(Destruction.class)
                .withBean("threads", ThreadPoolTaskExecutor.class, () -> waiting(new ThreadPoolTaskExecutor()))
                .withBean("jobs", Jobs.class)
                .run(context -> {
                    Executor threads = context.getBean("threads", Executor.class);
                    locked.set(start(context, threads, context.getBean(Jobs.class)::run, other));
                    end.set(output.length());
                });
        assertThat(get(locked.get())).isTrue();
        assertThat(isLocked(other.get())).isFalse();
        assertThat(output.toString().substring(end.get())).doesNotContain(" WARN ", " ERROR ", "Exception in thread");
    }

    @Test
    void keepsLockInTheDatabaseOfItsPoolUntilTheTasksOfAnExecutorHaveEnded(CapturedOutput output) {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        JdbcDataSource database = new JdbcDataSource();
        database.setURL(url);
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(url);
        assertKeepsLock(
                runner.withBean(HikariDataSource.class, () -> new HikariDataSource(pool)),
                () -> JdbcHoldfast.builder(database).commandTimeout(PATIENCE).build(),
                output);
    }

    /** The client uses the threads of the application. */
    @Configuration(proxyBeanMethods = false)
    static class SharedThreads {

        @Bean(destroyMethod = "shutdown")
        ClientResources resources() {
            return ClientResources.create();
        }

        @Bean
        LettuceConnectionFactory factory(ClientResources resources, @Value("${port}") int port) {
            return new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("127.0.0.1", port),
                    LettuceClientConfiguration.builder()
                            .clientResources(resources)
                            .build());
        }
    }

    /** The client has threads of its own, because the factory ends its threads when it stops. */
    @Configuration(proxyBeanMethods = false)
    static class OwnThreads {

        @Bean
        LettuceConnectionFactory factory(@Value("${port}") int port) {
            return new LettuceConnectionFactory("127.0.0.1", port);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {SharedThreads.class, OwnThreads.class})
    void keepsLockAtTheRedisOfItsConnectionFactoryUntilTheTasksOfAnExecutorHaveEnded(
            Class<?> application, CapturedOutput output) {
        try (RedisServer server = RedisServer.start()) {
            assertKeepsLock(
                    runner.withUserConfiguration(application).withPropertyValues("port=" + server.port()),
                    () -> connect(server.uri()),
                    output);
        }
    }

    /** Locks when it is destroyed, by itself. */
    static class SelfFlusher extends Jobs implements DisposableBean {

        private final String uri;
        private final AtomicReference<SelfFlusher> proxy = new AtomicReference<>();
        private final AtomicBoolean locked = new AtomicBoolean();

        SelfFlusher(String uri) {
            this.uri = uri;
        }

        AtomicBoolean callsAtItsEnd(SelfFlusher self) {
            proxy.set(self);
            return locked;
        }

        @Override
        public void destroy() {
            locked.set(proxy.get().run(() -> isLocked(uri)));
        }
    }

    @Test
    void locksByItsOwnMethodWhileABeanIsDestroyed() {
        AtomicReference<AtomicBoolean> locked = new AtomicReference<>();
        runner.withBean("flusher", SelfFlusher.class, uri)
                .withPropertyValues("holdfast.uri=" + uri)
                .run(context -> {
                    SelfFlusher proxy = context.getBean(SelfFlusher.class);
                    locked.set(proxy.callsAtItsEnd(proxy));
                });
        assertThat(locked.get()).isTrue();
    }

    /** Locks when it is destroyed, by another bean. */
    static class Flusher implements DisposableBean {

        private final Jobs jobs;
        private final String uri;
        private boolean locked;

        Flusher(Jobs jobs, String uri) {
            this.jobs = jobs;
            this.uri = uri;
        }

        @Override
        public void destroy() {
            locked = jobs.run(() -> isLocked(uri));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Flushing {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Flusher flusher(Jobs jobs, @Value("${holdfast.uri}") String uri) {
            return new Flusher(jobs, uri);
        }
    }

    @Test
    void locksByAnAnnotatedMethodWhileBeansAreDestroyed() {
        AtomicReference<Flusher> flusher = new AtomicReference<>();
        runner.withUserConfiguration(Flushing.class)
                .withPropertyValues("holdfast.uri=" + uri)
                .run(context -> flusher.set(context.getBean(Flusher.class)));
        assertThat(flusher.get().locked).isTrue();
    }

    /** Notes whether the client is closed when it is destroyed. */
    @SuppressWarnings("serial")
    private static final class PoolThreads extends ThreadPoolTaskExecutor {

        private final AtomicReference<Holdfast> client = new AtomicReference<>();
        private boolean clientClosed;

        @Override
        public void destroy() {
            clientClosed = isClosed(client.get());
            super.destroy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Pooled {

        @Bean
        PoolThreads poolThreads() {
            return new PoolThreads();
        }

        @Bean
        DataSource dataSource(PoolThreads threads) {
            assertThat(threads).isNotNull();
            JdbcDataSource source = new JdbcDataSource();
            source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            return source;
        }
    }

    @Test
    void closesClientBeforeTheExecutorOfItsDataSource() {
        AtomicReference<PoolThreads> threads = new AtomicReference<>();
        runner.withUserConfiguration(Pooled.class).run(context -> {
            threads.set(context.getBean(PoolThreads.class));
            threads.get().client.set(context.getBean(Holdfast.class));
        });
        assertThat(threads.get().clientClosed).isTrue();
    }
}
