package io.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.LockEvent;
import io.holdfast.LockListener;
import io.holdfast.LockObserver;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.spring.HoldfastBuilderCustomizer;
import io.holdfast.spring.HoldfastConnectionDetails;
import io.holdfast.spring.Locked;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.StreamUtils;

/** Clients come from properties, from details, or from the Redis or the database of the application. */
class AutoConfigurationTest {

    private final String uri = "memory:" + UUID.randomUUID();
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class));

    @Test
    void aUriIsEnough() {
        runner.withPropertyValues("holdfast.uri=" + uri, "spring.application.name=billing")
                .run(context -> {
                    Holdfast client = context.getBean(Holdfast.class);
                    client.lock("n")
                            .run(() -> assertThat(client.inspect("n").holders()).hasSize(1));
                    assertThat(client.toString()).contains("Holdfast client billing");
                });
    }

    @Test
    void theClientIsClosedWithTheApplication() {
        Holdfast[] client = new Holdfast[1];
        runner.withPropertyValues("holdfast.uri=" + uri).run(context -> client[0] = context.getBean(Holdfast.class));
        assertThatThrownBy(() -> client[0].lock("n")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void optionsAreApplied() {
        runner.withPropertyValues(
                        "holdfast.uri=" + uri,
                        "holdfast.name=first",
                        "holdfast.key-prefix=shop:",
                        "holdfast.lease=10s",
                        "holdfast.max-hold=5m",
                        "holdfast.on-max-hold=stop-renewing",
                        "holdfast.lazy=true",
                        "holdfast.record-places=true")
                .run(context -> {
                    Holdfast client = context.getBean(Holdfast.class);
                    client.lock("n").run(() -> {
                        assertThat(client.lock("n").remainingLease())
                                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
                        try (Holdfast other = Holdfast.connect(uri)) {
                            assertThat(other.lock("shop:n").isLocked()).isTrue();
                        }
                    });
                });
    }

    @Test
    void aBadValueNamesItsProperty() {
        runner.withPropertyValues("holdfast.uri=" + uri, "holdfast.lease=1ms")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("lease PT0.001S is out of range"));
        runner.withPropertyValues("holdfast.uri=" + uri, "holdfast.safety=maybe")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("holdfast.safety: it must be async, durable"));
        runner.withPropertyValues("holdfast.uri=" + uri, "holdfast.on-max-hold=warn")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("holdfast.on-max-hold: it needs max-hold"));
    }

    @Test
    void aMissingStoreNamesItsArtifact() {
        runner.withPropertyValues("holdfast.uri=etcd://localhost")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("add io.holdfast:holdfast-etcd to the class path"));
    }

    @Test
    void withoutAStoreTheStartFailsAndSaysHowToChooseOne() {
        runner.run(context -> {
            FailureAnalysis analysis = new NoStoreFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("holdfast.uri is not set");
            assertThat(analysis.getAction()).contains("redis://localhost:6379").contains("holdfast.enabled");
        });
        runner.withPropertyValues("holdfast.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Holdfast.class));
    }

    @Test
    void anUnknownPropertyFailsTheStartAndSuggestsTheNearest() {
        assertThat(analyzed("holdfast.leese=10s"))
                .contains("'holdfast.leese'")
                .contains("Did you mean 'holdfast.lease'?");
        assertThat(analyzed("holdfast.command-timout=1s")).contains("Did you mean 'holdfast.command-timeout'?");
        assertThat(analyzed("holdfast.locked.wait-tme=1s")).contains("Did you mean 'holdfast.locked.wait-time'?");
        assertThat(analyzed("holdfast.clients.audit.ury=memory:")).contains("'holdfast.clients.audit.uri'");
        assertThat(analyzed("holdfast.something-else=1")).doesNotContain("Did you mean");
        assertThat(analyzed("holdfast.something.uri=1")).doesNotContain("Did you mean");
    }

    private String analyzed(String property) {
        String[] text = {""};
        runner.withPropertyValues("holdfast.uri=" + uri, property).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasRootCauseInstanceOf(UnboundConfigurationPropertiesException.class);
            text[0] = new UnknownPropertyFailureAnalyzer()
                    .analyze(context.getStartupFailure())
                    .getDescription();
        });
        return text[0];
    }

    @Test
    void furtherClientsHaveTheirNameAsQualifier() {
        String second = "memory:" + UUID.randomUUID();
        runner.withPropertyValues("holdfast.uri=" + uri, "holdfast.clients.audit.uri=" + second)
                .run(context -> {
                    Holdfast byQualifier = BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                            context.getBeanFactory(), Holdfast.class, "audit");
                    assertThat(byQualifier.toString()).contains(second);
                    assertThat(context.getBean(Holdfast.class).toString()).contains(uri);
                });
        runner.withPropertyValues("holdfast.clients.audit.uri=" + second)
                .run(context -> assertThat(context).hasSingleBean(Holdfast.class));
        runner.withPropertyValues("holdfast.clients.audit.lease=1s")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("holdfast.clients.audit.uri is not set"));
    }

    /** Otherwise, methods without a qualifier would use the further client, and exclude nobody who has only the default. */
    @Test
    void theStoreOfTheApplicationIsTheDefaultAlsoBesideFurtherClients() {
        String second = "memory:" + UUID.randomUUID();
        runner.withBean(HoldfastConnectionDetails.class, () -> () -> uri)
                .withPropertyValues("holdfast.clients.audit.uri=" + second)
                .run(context -> {
                    assertThat(context).getBeans(Holdfast.class).hasSize(2);
                    assertThat(context.getBean(Holdfast.class).toString()).contains(uri);
                });
        runner.withBean("main", DataSource.class, AutoConfigurationTest::dataSource)
                .withBean(
                        "other",
                        DataSource.class,
                        AutoConfigurationTest::dataSource,
                        definition -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
                .withPropertyValues("holdfast.clients.audit.uri=" + second)
                .run(context ->
                        assertThat(context.getBean(Holdfast.class).scheme()).isEqualTo("jdbc"));
    }

    /** Looking for a client must not create it, because a bean that is being created would be asked for itself. */
    @Test
    void aLazyClientIsNotCreatedByTheAnnotationThatNamesIt() {
        runner.withPropertyValues("holdfast.uri=" + uri, "holdfast.clients.audit.uri=etcd://localhost")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withBean(Audited.class)
                .run(context -> assertThat(context.getBean(Audited.class)).isNotNull());
    }

    static class Audited {

        @Locked(name = "n", client = "audit")
        public void run() {}
    }

    private static DataSource dataSource() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    @Test
    void aClientThatCannotBeCreatedNamesThePropertyToCorrect() {
        assertThat(clientStart("holdfast.uri=localhost:6379"))
                .contains("The client of holdfast.uri was not created: ", "Correct holdfast.uri");
        assertThat(clientStart("holdfast.uri=redis://127.0.0.1:1", "holdfast.connect-timeout=200ms"))
                .contains("The client of holdfast.uri was not created: ", "Start the store", "holdfast.lazy");
        assertThat(clientStart("holdfast.uri=" + uri, "holdfast.clients.audit.uri=etcd://localhost"))
                .contains("The client of holdfast.clients.audit.uri", "holdfast-etcd");
        assertThat(clientStart("holdfast.uri=" + uri, "holdfast.lease=1ms")).contains("holdfast.lease: ");
    }

    private String clientStart(String... properties) {
        String[] text = {""};
        runner.withPropertyValues(properties).run(context -> {
            FailureAnalysis analysis = new ClientStartFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            text[0] = analysis.getDescription() + "\n" + analysis.getAction();
        });
        return text[0];
    }

    @Test
    void aNegativeWaitFailsTheStart() {
        runner.withPropertyValues("holdfast.uri=" + uri, "holdfast.locked.wait-time=-1s")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("holdfast.locked.wait-time: -1000 ms is negative"));
    }

    @Test
    void aClientOfTheApplicationReplacesTheDefault() {
        runner.withBean("mine", Holdfast.class, () -> Holdfast.connect(uri)).run(context -> {
            assertThat(context).hasSingleBean(Holdfast.class).hasBean("mine");
        });
    }

    /** Otherwise the client would stay open, and nobody would close it. */
    @Test
    void noClientConnectsBeforeItsObserversAreThere() {
        runner.withPropertyValues("holdfast.uri=redis://127.0.0.1:1")
                .withBean(
                        "observer",
                        LockObserver.class,
                        () -> {
                            throw new IllegalStateException("planned");
                        },
                        definition -> definition.setLazyInit(true))
                .run(context -> assertThat(context.getStartupFailure()).hasRootCauseMessage("planned"));
    }

    @Test
    void listenersObserversAndCustomizersAreBeans() {
        List<Object> seen = new CopyOnWriteArrayList<>();
        runner.withPropertyValues("holdfast.uri=" + uri)
                .withBean("listener", LockListener.class, () -> seen::add)
                .withBean("observer", LockObserver.class, () -> (kind, name) -> {
                    seen.add(name);
                    throw new IllegalStateException("planned");
                })
                .withBean(
                        "customizer",
                        HoldfastBuilderCustomizer.class,
                        () -> (name, builder) -> seen.add(builder.name("customized")))
                .run(context -> {
                    Holdfast client = context.getBean(Holdfast.class);
                    assertThat(client.toString()).contains("customized");
                    client.lock("n").run(() -> {});
                    // events reach a listener on a thread of its own
                    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                    while (seen.stream().noneMatch(LockEvent.Granted.class::isInstance)) {
                        assertThat(System.nanoTime() - deadline).isNegative();
                        Thread.onSpinWait();
                    }
                    client.close();
                    assertThat(seen).contains("n").hasAtLeastOneElementOfType(HoldfastBuilder.class);
                    assertThat(seen).hasAtLeastOneElementOfType(LockEvent.Granted.class);
                });
    }

    @Test
    void connectionDetailsTakePrecedence() {
        runner.withPropertyValues("holdfast.uri=memory:unused")
                .withBean(HoldfastConnectionDetails.class, () -> () -> uri)
                .run(context ->
                        assertThat(context.getBean(Holdfast.class).toString()).contains(uri));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void theRedisOfTheApplicationIsUsed() {
        try (RedisServer server = RedisServer.start();
                ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties("spring.data.redis.url=" + server.uri(), "spring.datasource.url=jdbc:h2:mem:unused")
                        .run();
                Holdfast other = Holdfast.connect(server.uri())) {
            Holdfast client = context.getBean(Holdfast.class);
            client.lock("n").run(() -> assertThat(other.lock("n").isLocked()).isTrue());
        }
    }

    @Test
    void theDataSourceOfTheApplicationIsUsed() {
        JdbcDataSource source = new JdbcDataSource();
        source.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        runner.withBean(javax.sql.DataSource.class, () -> source).run(context -> {
            Holdfast client = context.getBean(Holdfast.class);
            assertThat(client.scheme()).isEqualTo("jdbc");
            client.lock("n").run(() -> assertThat(client.lock("n").isLocked()).isTrue());
        });
    }

    // ---- metadata

    /** The options of the builder that are no plain values. */
    private static final Set<String> BEANS = Set.of("build", "callbackExecutor", "listener", "platform", "provider");

    @Test
    void everyPlainOptionOfTheBuilderIsAProperty() {
        Set<String> options = Arrays.stream(HoldfastBuilder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !BEANS.contains(name))
                .collect(Collectors.toSet());
        options.add("onMaxHold");
        assertThat(components(ClientOptions.class)).containsExactlyInAnyOrderElementsOf(options);
        assertThat(components(HoldfastProperties.class)).containsAll(options);
    }

    @Test
    void everyPropertyHasADescriptionInTheMetadata() throws Exception {
        String metadata = StreamUtils.copyToString(
                new ClassPathResource("META-INF/spring-configuration-metadata.json").getInputStream(),
                StandardCharsets.UTF_8);
        for (String option : components(ClientOptions.class)) {
            String name = option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            assertThat(metadata)
                    .containsPattern(
                            "\"name\": \"holdfast\\." + name + "\",\\s+\"type\": \"[^\"]+\",\\s+\"description\": \"");
        }
        assertThat(metadata)
                .contains("holdfast.locked.wait-time", "holdfast.metrics.names", "\"defaultValue\": \"30s\"");
    }

    private static Set<String> components(Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toSet());
    }
}
