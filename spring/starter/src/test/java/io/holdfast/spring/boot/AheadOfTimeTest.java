package io.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LockTimeoutException;
import io.holdfast.spring.LeaderOnly;
import io.holdfast.spring.Locked;
import io.holdfast.spring.RunOnce;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** The starter can be processed ahead of time, and the generated application has its locks. */
class AheadOfTimeTest {

    private final RuntimeHints hints = new RuntimeHints();
    private final String uri = "memory:" + UUID.randomUUID();

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    public static class Application {

        @Bean
        public Work work() {
            return new Work();
        }
    }

    public static class Work {

        @Locked(name = "work/#{#id}", waitTime = "0")
        public String run(int id) {
            return "ran " + id;
        }

        @RunOnce(name = "once", every = "1h")
        public void once() {}

        @LeaderOnly("leader")
        public void lead() {}
    }

    private void configure(GenericApplicationContext context) {
        TestPropertyValues.of("holdfast.uri=" + uri, "holdfast.clients.audit.uri=" + uri)
                .applyTo(context);
    }

    private void generated(Consumer<GenericApplicationContext> test) {
        AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext();
        configure(source);
        source.register(Application.class);
        TestGenerationContext generation = new TestGenerationContext();
        ClassName initializer = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                configure(context);
                initializer(compiled.getInstance(ApplicationContextInitializer.class, initializer.canonicalName()))
                        .initialize(context);
                context.refresh();
                test.accept(context);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(Object instance) {
        return (ApplicationContextInitializer<GenericApplicationContext>) instance;
    }

    @Test
    void expressionsAndScriptsAreKept() throws IOException {
        AotServices.factories()
                .load(RuntimeHintsRegistrar.class)
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("io.holdfast.spring.aop.Expressions$Root"))
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS)
                        .test(hints))
                .isTrue();
        String metadata = new ClassPathResource(
                        "META-INF/native-image/io.holdfast/holdfast-redis/reachability-metadata.json")
                .getContentAsString(StandardCharsets.UTF_8);
        assertThat(metadata).contains("io/holdfast/redis/script/*.lua");
        assertThat(new ClassPathResource("io/holdfast/redis/script/acquire.lua").exists())
                .isTrue();
    }

    @Test
    @CompileWithForkedClassLoader
    void theGeneratedApplicationLocksItsMethods() {
        generated(context -> {
            Work work = context.getBean(Work.class);
            assertThat(context.getBeansOfType(Holdfast.class)).hasSize(2);
            assertThat(work.run(1)).isEqualTo("ran 1");
            try (Holdfast other = Holdfast.connect(uri)) {
                other.lock("work/2")
                        .run(() -> Assertions.assertThatThrownBy(() -> work.run(2))
                                .isInstanceOf(LockTimeoutException.class));
            }
        });
    }
}
