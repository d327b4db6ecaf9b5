package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.spring.boot.HoldfastAutoConfiguration;
import java.lang.reflect.Proxy;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** An annotation that cannot work fails the start, or the call that shows it, with a text that names its place. */
class InvalidLockedTest {

    private static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
            .withPropertyValues("holdfast.uri=memory:" + UUID.randomUUID());

    static class PrivateMethod {

        @Locked("n")
        @SuppressWarnings("UnusedMethod")
        private void hidden() {}
    }

    static class FinalMethod {

        @Locked("n")
        public final void last() {}
    }

    static class StaticMethod {

        @Locked("n")
        public static void shared() {}
    }

    /** The one that matches is seen first. */
    static class PrivateBesideAnother {

        @Locked("n")
        public void aGoodOne() {}

        @Locked("n")
        @SuppressWarnings("UnusedMethod")
        private void hidden() {}
    }

    /** Whatever the order in which a machine lists the methods. */
    static class PrivateAmongOthers {

        @Locked("n")
        @SuppressWarnings("UnusedMethod")
        private void aa() {}

        @Locked("n")
        public void good() {}

        @Locked("n")
        public void z() {}
    }

    static class StageOfAnotherType {

        @Locked("n")
        public Later run() {
            return new Later();
        }
    }

    static class Later extends CompletableFuture<String> {}

    static class NoName {

        @Locked
        public void run() {}
    }

    static class Unparsable {

        @Locked("orders/#{#id +}")
        public void run(long id) {}
    }

    static class Misspelled {

        @Locked("orders/#{#idd}")
        public void run(long id) {}
    }

    static class OutsideOfBraces {

        @Locked("#id")
        public void run(long id) {}
    }

    static class UnknownProperty {

        @Locked("${no.such.property}")
        public void run() {}
    }

    static class BadCondition {

        @Locked(name = "n", condition = "#id >")
        public void run(long id) {}
    }

    static class BadWait {

        @Locked(name = "n", waitTime = "soon")
        public void run() {}
    }

    static class NegativeWait {

        @Locked(name = "n", waitTime = "-1s")
        public void run() {}
    }

    static class ShortLease {

        @Locked(name = "n", lease = "1ms")
        public void run() {}
    }

    static class LeaseOfAPublisher {

        @Locked(name = "n", lease = "1s")
        public Mono<String> run() {
            return Mono.empty();
        }
    }

    static class PermitsOfALock {

        @Locked(name = "n", permits = 2)
        public void run() {}
    }

    static class NoPermits {

        @Locked(name = "n", kind = LockKind.PERMITS, permits = 0)
        public void run() {}
    }

    static class SkipOfAPrimitive {

        @Locked(name = "n", onFailure = OnFailure.SKIP)
        public int run() {
            return 1;
        }
    }

    static class FallbackWithoutName {

        @Locked(name = "n", onFailure = OnFailure.FALLBACK)
        public void run() {}
    }

    static class FallbackWithoutChoice {

        @Locked(name = "n", fallback = "other")
        public void run() {}

        void other() {}
    }

    static class MissingFallback {

        @Locked(name = "n", onFailure = OnFailure.FALLBACK, fallback = "other")
        public String run(int id) {
            return "" + id;
        }

        String other(long id) {
            return "" + id;
        }
    }

    static class TwoTokens {

        @Locked("n")
        public void run(@FencingToken long one, @FencingToken long two) {}
    }

    static class TokenOfAText {

        @Locked("n")
        public void run(@FencingToken String token) {}
    }

    static class LongerThanItsTransaction {

        @Locked(name = "n", waitTime = "10s")
        @Transactional(timeout = 5)
        public void run() {}
    }

    @Transactional(timeoutString = "5")
    static class LongerThanTheTransactionsOfItsClass {

        @Locked(name = "n", waitTime = "10s")
        public void run() {}
    }

    static class ExpressionOfTheLeader {

        @LeaderOnly("n/#{#id}")
        public void run(long id) {}
    }

    static class ExpressionOfRunOnce {

        @RunOnce(name = "n/#{#id}", every = "1s")
        public void run(long id) {}
    }

    static class ResultOfRunOnce {

        @RunOnce(name = "n", every = "1s")
        public int run() {
            return 1;
        }
    }

    static class BadPeriod {

        @RunOnce(name = "n", every = "1ms")
        public void run() {}
    }

    static class ResultOfTheLeader {

        @LeaderOnly("n")
        public int run() {
            return 1;
        }
    }

    static class UnnamedElection {

        @LeaderOnly("")
        public void run() {}
    }

    static final class FinalClass {

        @Locked("n")
        public void run() {}
    }

    static class UnknownClient {

        @Locked(name = "n", client = "nobody")
        public void run() {}
    }

    static class UnknownClientOfAJob {

        @RunOnce(name = "n", every = "1s", client = "nobody")
        public void run() {}
    }

    static class UnknownClientOfTheLeader {

        @LeaderOnly(value = "n", client = "nobody")
        public void run() {}
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                Arguments.of(PrivateMethod.class, "the method is private, so no proxy can intercept it"),
                Arguments.of(PrivateBesideAnother.class, "the method is private, so no proxy can intercept it"),
                Arguments.of(PrivateAmongOthers.class, "the method is private, so no proxy can intercept it"),
                Arguments.of(StageOfAnotherType.class, "the method returns a Later"),
                Arguments.of(FinalMethod.class, "the method is final, so no proxy can intercept it"),
                Arguments.of(StaticMethod.class, "the method is static, so no proxy can intercept it"),
                Arguments.of(FinalClass.class, "the class is final, so no proxy can intercept the method"),
                Arguments.of(
                        UnknownClient.class,
                        "client: there is no client 'nobody'; the beans of the type Holdfast are [holdfast]"),
                Arguments.of(UnknownClientOfAJob.class, "client: there is no client 'nobody'"),
                Arguments.of(UnknownClientOfTheLeader.class, "client: there is no client 'nobody'"),
                Arguments.of(NoName.class, "name: it is empty"),
                Arguments.of(Unparsable.class, "name: 'orders/#{#id +}' cannot be parsed"),
                Arguments.of(
                        Misspelled.class, "name: there is no variable '#idd'; there are [#a0, #id, #p0, #root, #this]"),
                Arguments.of(OutsideOfBraces.class, "name: '#id' has a # outside of #{ }"),
                Arguments.of(UnknownProperty.class, "name: Could not resolve placeholder 'no.such.property'"),
                Arguments.of(BadCondition.class, "condition: '#id >' cannot be parsed"),
                Arguments.of(BadWait.class, "waitTime: 'soon' is not a duration"),
                Arguments.of(NegativeWait.class, "waitTime: '-1s' is negative"),
                Arguments.of(ShortLease.class, "lease: '1ms' is out of range: 100 ms to 365 days"),
                Arguments.of(LeaseOfAPublisher.class, "lease: a method that returns a publisher cannot have one"),
                Arguments.of(PermitsOfALock.class, "permits: it needs kind PERMITS, not LOCK"),
                Arguments.of(NoPermits.class, "permits: 0 is out of range: at least 1"),
                Arguments.of(SkipOfAPrimitive.class, "onFailure: SKIP cannot return a int"),
                Arguments.of(FallbackWithoutName.class, "onFailure: FALLBACK needs the name of a method"),
                Arguments.of(FallbackWithoutChoice.class, "fallback: it has no effect; set onFailure to FALLBACK"),
                Arguments.of(MissingFallback.class, "fallback: there is no method 'other' with the same parameters"),
                Arguments.of(TwoTokens.class, "two parameters have @FencingToken"),
                Arguments.of(TokenOfAText.class, "the parameter with @FencingToken has the type String"),
                Arguments.of(
                        LongerThanItsTransaction.class, "waitTime: it is longer than the timeout of @Transactional"),
                Arguments.of(LongerThanTheTransactionsOfItsClass.class, "timeout of @Transactional (5 s)"),
                Arguments.of(ExpressionOfTheLeader.class, "value: 'n/#{#id}' has an expression"),
                Arguments.of(ExpressionOfRunOnce.class, "name: 'n/#{#id}' has an expression"),
                Arguments.of(ResultOfRunOnce.class, "the method has to return nothing"),
                Arguments.of(BadPeriod.class, "every: '1ms' is out of range: 100 ms to 365 days"),
                Arguments.of(ResultOfTheLeader.class, "the method has to return nothing"),
                Arguments.of(UnnamedElection.class, "value: it is empty"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalid")
    void theStartFailsAndNamesBeanMethodAndAttribute(Class<?> bean, String text) {
        RUNNER.withBean("culprit", bean).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasMessageContaining("culprit")
                    .rootCause()
                    .hasMessageContaining(bean.getName() + ".")
                    .hasMessageContaining(text);
        });
    }

    static class OnlyAtTheCall {

        @Locked("#{#name}")
        public void run(String name) {}

        @Locked("orders/#{#name}")
        public void composed(String name) {}

        @Locked("#{#name.length()}")
        public void failing(String name) {}

        @Locked("ids/#{#ids}")
        public void array(String[] ids) {}

        @Locked("orders/#{#order}")
        public void identity(Object order) {}
    }

    private static void run(Consumer<OnlyAtTheCall> call) {
        RUNNER.withBean(OnlyAtTheCall.class)
                .run((AssertableApplicationContext context) -> call.accept(context.getBean(OnlyAtTheCall.class)));
    }

    @Test
    void aNameThatIsNullOrEmptyFailsTheCall() {
        run(bean -> {
            assertThatThrownBy(() -> bean.run(null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("OnlyAtTheCall.run, name: '#name' is null in this call");
            assertThatThrownBy(() -> bean.run(""))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("OnlyAtTheCall.run, name: '#name' is empty in this call");
            assertThatThrownBy(() -> bean.composed(null)).hasMessageContaining("'#name' is null in this call");
            assertThatThrownBy(() -> bean.composed("")).hasMessageContaining("'#name' is empty in this call");
        });
    }

    @Test
    void anExpressionThatFailsNamesItsPlace() {
        run(bean -> assertThatThrownBy(() -> bean.failing(null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("OnlyAtTheCall.failing, name: '#name.length()' cannot be evaluated"));
    }

    @Test
    void aNameWithoutATextOfItsOwnFailsTheCall() {
        run(bean -> {
            assertThatThrownBy(() -> bean.array(new String[] {"a"}))
                    .hasMessageContaining("name: '#ids' is a java.lang.String[], which has no text of its own");
            assertThatThrownBy(() -> bean.identity(new Object()))
                    .hasMessageContaining("name: '#order' is a java.lang.Object, which has no text of its own");
        });
    }

    /** A mapper or a remote client is a proxy of an interface already. */
    interface Mapper {

        @Locked("mapper")
        String save();
    }

    @Test
    void aProxyOfAnInterfaceCanBeLocked() {
        RUNNER.withBean("mapper", Mapper.class, () -> (Mapper) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {Mapper.class},
                        (proxy, method, arguments) -> "saved"))
                .run(context -> {
                    assertThat(context.getBean(Mapper.class).save()).isEqualTo("saved");
                    Holdfast client = context.getBean(Holdfast.class);
                    assertThat(client.stats().grants()).isOne();
                });
    }
}
