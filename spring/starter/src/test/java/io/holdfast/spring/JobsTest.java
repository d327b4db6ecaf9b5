package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.spring.boot.HoldfastAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs of several instances: once per period, in the leader only, and under their lock until the end of the application. */
class JobsTest {

    private final String uri = "memory:" + UUID.randomUUID();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Instance {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {

        private final List<String> runs = new CopyOnWriteArrayList<>();
        private final List<Object> events = new CopyOnWriteArrayList<>();

        @RunOnce(name = "report", every = "${report.period:1h}")
        public void report() {
            runs.add("report");
        }

        @RunOnce(name = "failing", every = "100ms")
        public void failing() throws IOException {
            throw new IOException("planned");
        }

        @RunOnce(name = "of-the-leader", every = "1h")
        @LeaderOnly("outbox")
        public void onceInTheLeader() {
            runs.add("once");
        }

        @LeaderOnly("outbox")
        public void send(@FencingToken long token) {
            runs.add("token " + token);
        }

        @EventListener
        public void on(LeadershipGained event) {
            events.add(event);
        }

        @EventListener
        public void on(LeadershipLost event) {
            events.add(event);
        }

        List<String> runs() {
            return runs;
        }

        List<Object> events() {
            return events;
        }
    }

    private ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties("holdfast.uri=" + uri)
                .properties(properties)
                .run();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).isNegative();
            Thread.sleep(5);
        }
    }

    @Test
    void oneOfSeveralInstancesRunsAJobInItsPeriod() {
        try (ConfigurableApplicationContext first = start(Instance.class);
                ConfigurableApplicationContext second = start(Instance.class)) {
            for (int i = 0; i < 3; i++) {
                first.getBean(Jobs.class).report();
                second.getBean(Jobs.class).report();
            }
            assertThat(first.getBean(Jobs.class).runs()).containsExactly("report");
            assertThat(second.getBean(Jobs.class).runs()).isEmpty();
        }
    }

    @Test
    void theNextPeriodHasItsOwnRun() throws InterruptedException {
        try (ConfigurableApplicationContext instance = start(Instance.class, "report.period=100ms")) {
            Jobs jobs = instance.getBean(Jobs.class);
            jobs.report();
            await(() -> {
                jobs.report();
                return jobs.runs().size() == 2;
            });
        }
    }

    @Test
    void theExceptionOfAJobIsItsOwn() {
        try (ConfigurableApplicationContext instance = start(Instance.class)) {
            assertThatThrownBy(instance.getBean(Jobs.class)::failing)
                    .isInstanceOf(IOException.class)
                    .hasMessage("planned");
        }
    }

    @Test
    void onlyTheLeaderRunsAndAnotherFollowsIt() throws InterruptedException {
        ConfigurableApplicationContext first = start(Instance.class);
        Jobs one = first.getBean(Jobs.class);
        await(() -> !one.events().isEmpty());
        try (ConfigurableApplicationContext second = start(Instance.class)) {
            Jobs two = second.getBean(Jobs.class);
            one.send(0);
            two.send(0);
            assertThat(one.runs()).hasSize(1);
            assertThat(two.runs()).isEmpty();
            first.close();
            await(() -> !two.events().isEmpty());
            two.send(0);
            assertThat(token(two)).isGreaterThan(token(one));
            assertThat(one.events()).hasSize(2);
            assertThat(one.events().get(0))
                    .isInstanceOfSatisfying(
                            LeadershipGained.class,
                            event -> assertThat(event.election()).isEqualTo("outbox"));
            assertThat(one.events().get(1)).isEqualTo(new LeadershipLost("outbox", token(one), true));
        }
    }

    @Test
    void anInstanceThatDoesNotLeadDoesNotUseUpThePeriod() throws InterruptedException {
        try (ConfigurableApplicationContext first = start(Instance.class)) {
            Jobs one = first.getBean(Jobs.class);
            await(() -> !one.events().isEmpty());
            try (ConfigurableApplicationContext second = start(Instance.class)) {
                second.getBean(Jobs.class).onceInTheLeader();
                one.onceInTheLeader();
                assertThat(one.runs()).containsExactly("once");
            }
        }
    }

    static class ElsewhereOnly {

        @LeaderOnly(value = "n", client = "nobody")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Elsewhere {

        @Bean
        ElsewhereOnly elsewhereOnly() {
            return new ElsewhereOnly();
        }
    }

    @Test
    void anElectionOfAClientThatDoesNotExistFailsTheStart() {
        assertThatThrownBy(() -> start(Elsewhere.class)).hasStackTraceContaining("nobody");
    }

    private static long token(Jobs jobs) {
        return Long.parseLong(jobs.runs().get(0).substring("token ".length()));
    }

    @Test
    void aLostLeadershipIsToldAndFollowedByACandidacy() throws InterruptedException {
        try (ConfigurableApplicationContext instance = start(Instance.class);
                Holdfast other = Holdfast.connect(uri)) {
            Jobs jobs = instance.getBean(Jobs.class);
            await(() -> jobs.events().size() == 1);
            assertThat(other.lock("outbox").forceUnlock()).isTrue();
            await(() -> jobs.events().size() == 3);
            assertThat(jobs.events().get(1))
                    .isInstanceOfSatisfying(
                            LeadershipLost.class,
                            lost -> assertThat(lost.resigned()).isFalse());
            assertThat(jobs.events().get(2)).isInstanceOf(LeadershipGained.class);
        }
    }

    /** An application with a job that still runs when the application ends. */
    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @ImportAutoConfiguration({HoldfastAutoConfiguration.class, TaskSchedulingAutoConfiguration.class})
    static class Ending {

        @Bean
        LongJob longJob(Holdfast client) {
            return new LongJob(client);
        }
    }

    static class LongJob {

        private final Holdfast client;
        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch closing = new CountDownLatch(1);
        private final AtomicBoolean held = new AtomicBoolean();

        LongJob(Holdfast client) {
            this.client = client;
        }

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
        @Locked("long-job")
        public void run() throws InterruptedException {
            started.countDown();
            closing.await(20, TimeUnit.SECONDS);
            Thread.sleep(Duration.ofMillis(300).toMillis());
            held.set(client.lock("long-job").isValid());
        }

        CountDownLatch started() {
            return started;
        }

        CountDownLatch closing() {
            return closing;
        }

        boolean held() {
            return held.get();
        }
    }

    @Test
    void aJobThatRunsWhenTheApplicationEndsKeepsItsLock() throws InterruptedException {
        ConfigurableApplicationContext application = start(
                Ending.class,
                "spring.task.scheduling.shutdown.await-termination=true",
                "spring.task.scheduling.shutdown.await-termination-period=20s");
        LongJob job = application.getBean(LongJob.class);
        assertThat(job.started().await(20, TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(application::close);
        closer.start();
        job.closing().countDown();
        closer.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(closer.isAlive()).isFalse();
        assertThat(job.held()).isTrue();
    }
}
