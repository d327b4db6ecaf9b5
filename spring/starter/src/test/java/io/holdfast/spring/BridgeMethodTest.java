package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.recipes.LeaderElection;
import io.holdfast.recipes.Leadership;
import io.holdfast.spring.boot.HoldfastAutoConfiguration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/**
 * An annotation applies to calls by a bridge method: of a generic interface or class, of an interface with another return type, and
 * of a public class that inherits the method from a class which is not public.
 */
class BridgeMethodTest {

    private final String uri = "memory:" + UUID.randomUUID();

    /** A generic interface. */
    interface Handler<T> {

        boolean handle(T order, BooleanSupplier body);

        void report(T day);

        void send(T message);

        List<String> runs();
    }

    /** An interface whose method returns another type. */
    interface Finder {

        Object find(BooleanSupplier body);
    }

    static class Orders implements Handler<Long>, Finder {

        private final List<String> runs = new CopyOnWriteArrayList<>();

        @Override
        @Locked("orders/#{#order}")
        public boolean handle(Long order, BooleanSupplier body) {
            return body.getAsBoolean();
        }

        @Override
        @Locked("finder")
        public Boolean find(BooleanSupplier body) {
            return body.getAsBoolean();
        }

        @Override
        @RunOnce(name = "report", every = "1h")
        public void report(Long day) {
            runs.add("report");
        }

        @Override
        @LeaderOnly("outbox")
        public void send(Long message) {
            runs.add("send");
        }

        @Override
        public List<String> runs() {
            return runs;
        }
    }

    /** A generic class. */
    abstract static class Parcel<T> {

        private final List<String> runs = new CopyOnWriteArrayList<>();

        public abstract boolean handle(T parcel, BooleanSupplier body);

        public abstract void report(T day);

        public abstract void send(T message);

        List<String> runs() {
            return runs;
        }
    }

    static class Letters extends Parcel<Long> {

        @Override
        @Locked("letters/#{#letter}")
        public boolean handle(Long letter, BooleanSupplier body) {
            return body.getAsBoolean();
        }

        @Override
        @RunOnce(name = "letters", every = "1h")
        public void report(Long day) {
            runs().add("report");
        }

        @Override
        @LeaderOnly("outbox")
        public void send(Long message) {
            runs().add("send");
        }
    }

    /** Its public methods get a bridge method in public subclasses. */
    abstract static class Hidden {

        private final List<String> runs = new CopyOnWriteArrayList<>();

        @Locked("inherited")
        public boolean inherited(BooleanSupplier body) {
            return body.getAsBoolean();
        }

        @RunOnce(name = "inherited", every = "1h")
        public void report() {
            runs.add("report");
        }

        @LeaderOnly("outbox")
        public void send() {
            runs.add("send");
        }

        List<String> runs() {
            return runs;
        }
    }

    public static class Visible extends Hidden {}

    private void run(boolean classProxies, Consumer<ApplicationContext> test) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
                .withBean("orders", Orders.class)
                .withBean("letters", Letters.class)
                .withBean("visible", Visible.class)
                .withPropertyValues("holdfast.uri=" + uri, "spring.aop.proxy-target-class=" + classProxies)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    test.accept(context);
                });
    }

    private BooleanSupplier isLocked(Holdfast other, String name) {
        return () -> other.lock(name).isLocked();
    }

    @SuppressWarnings("unchecked")
    private static Handler<Long> handler(ApplicationContext context) {
        return context.getBean(Handler.class);
    }

    @SuppressWarnings("unchecked")
    private static Parcel<Long> letters(ApplicationContext context) {
        return context.getBean(Parcel.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void locksMethodThatIsCalledByBridge(boolean classProxies) {
        run(classProxies, context -> {
            try (Holdfast other = Holdfast.connect(uri)) {
                assertThat(AopUtils.isJdkDynamicProxy(handler(context))).isEqualTo(!classProxies);
                assertThat(handler(context).handle(7L, isLocked(other, "orders/7")))
                        .as("by a generic interface")
                        .isTrue();
                assertThat(letters(context).handle(8L, isLocked(other, "letters/8")))
                        .as("by a generic class")
                        .isTrue();
                assertThat(context.getBean(Finder.class).find(isLocked(other, "finder")))
                        .as("by an interface with another return type")
                        .isEqualTo(true);
                assertThat(context.getBean(Visible.class).inherited(isLocked(other, "inherited")))
                        .as("by a public subclass")
                        .isTrue();
                Hidden base = context.getBean(Visible.class);
                assertThat(base.inherited(isLocked(other, "inherited")))
                        .as("by the class that declares it")
                        .isTrue();
                assertThat(Stream.of("orders/7", "letters/8", "finder", "inherited"))
                        .as("locks that are still held")
                        .noneMatch(name -> isLocked(other, name).getAsBoolean());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runsMethodOnceThatIsCalledByBridge(boolean classProxies) {
        run(classProxies, context -> {
            for (int i = 0; i < 3; i++) {
                handler(context).report(1L);
                letters(context).report(1L);
                context.getBean(Visible.class).report();
            }
            assertThat(handler(context).runs()).containsExactly("report");
            assertThat(letters(context).runs()).containsExactly("report");
            assertThat(context.getBean(Visible.class).runs()).containsExactly("report");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doesNotRunMethodByBridgeWhileAnotherClientLeads(boolean classProxies) throws Exception {
        try (Holdfast other = Holdfast.connect(uri);
                Leadership leadership = LeaderElection.of(other, "outbox").campaign()) {
            run(classProxies, context -> {
                handler(context).send(1L);
                letters(context).send(1L);
                context.getBean(Visible.class).send();
                assertThat(handler(context).runs()).isEmpty();
                assertThat(letters(context).runs()).isEmpty();
                assertThat(context.getBean(Visible.class).runs()).isEmpty();
                assertThat(leadership.isValid()).isTrue();
            });
        }
    }
}
