package io.holdfast.spring.aop;

import io.holdfast.spring.LeaderOnly;
import io.holdfast.spring.RunOnce;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.BiPredicate;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.StringValueResolver;

/** The advisors that apply the annotations. */
public final class HoldfastAdvisors {

    private HoldfastAdvisors() {}

    /**
     * Returns the advisor for {@link io.holdfast.spring.Locked}.
     *
     * @param wait the wait of methods that do not state one
     * @param order the order among advisors; it has to be before the one of transactions
     */
    public static Advisor locked(
            BeanFactory beans, StringValueResolver properties, Clients clients, Duration wait, int order) {
        Expressions expressions = new Expressions(beans);
        LockedMethods methods = new LockedMethods(properties, expressions, wait);
        return advisor(
                (method, type) -> methods.of(method, type).isPresent(),
                new LockedInterceptor(methods, expressions, clients),
                order);
    }

    /** Returns the advisor for {@link RunOnce}. */
    public static Advisor runOnce(StringValueResolver properties, Clients clients, int order) {
        AnnotatedMethods<RunOnce, RunOnceMethod> methods =
                new AnnotatedMethods<>(RunOnce.class, properties, RunOnceMethod::of);
        return advisor(
                (method, type) -> methods.of(method, type).isPresent(),
                new RunOnceInterceptor(methods::of, clients),
                order);
    }

    /** Returns the advisor for {@link LeaderOnly}. Each election that it finds becomes a candidacy. */
    public static Advisor leaderOnly(StringValueResolver properties, Elections elections, int order) {
        AnnotatedMethods<LeaderOnly, LeaderMethod> methods =
                new AnnotatedMethods<>(LeaderOnly.class, properties, (attributes, annotation) -> {
                    LeaderMethod method = LeaderMethod.of(attributes, annotation);
                    elections.add(method.election());
                    return method;
                });
        return advisor(
                (method, type) -> methods.of(method, type).isPresent(),
                new LeaderInterceptor(methods::of, elections),
                order);
    }

    private static Advisor advisor(BiPredicate<Method, Class<?>> matches, MethodInterceptor interceptor, int order) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> targetClass) {
                        return matches.test(method, targetClass);
                    }
                },
                interceptor);
        advisor.setOrder(order);
        return advisor;
    }
}
