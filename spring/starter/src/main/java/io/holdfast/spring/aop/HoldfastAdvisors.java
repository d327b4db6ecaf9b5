package io.holdfast.spring.aop;

import io.holdfast.spring.LeaderOnly;
import io.holdfast.spring.Locked;
import io.holdfast.spring.RunOnce;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * The advisors that apply the annotations. If a method has several, the leader is asked first, then the period begins, and then
 * the lock is acquired. Otherwise, an instance that does not lead could use up the period.
 */
public final class HoldfastAdvisors {

    private HoldfastAdvisors() {}

    /**
     * Returns the advisor for {@link Locked}.
     *
     * @param wait the wait of methods that do not state one
     * @param order the order among advisors; it has to be before the one of transactions
     */
    public static Advisor locked(
            BeanFactory beans, StringValueResolver properties, Clients clients, Duration wait, int order) {
        Expressions expressions = new Expressions(beans);
        AnnotatedMethods<Locked, LockedMethod> methods =
                new AnnotatedMethods<>(Locked.class, properties, new LockedCheck(expressions, clients, wait)::of);
        return advisor(methods, new LockedInterceptor(methods::of, expressions, clients), order);
    }

    /** Returns the advisor for {@link RunOnce}. */
    public static Advisor runOnce(StringValueResolver properties, Clients clients, int order) {
        AnnotatedMethods<RunOnce, RunOnceMethod> methods = new AnnotatedMethods<>(
                RunOnce.class, properties, (attributes, once) -> RunOnceMethod.of(attributes, once, clients));
        return advisor(methods, new RunOnceInterceptor(methods::of, clients), order - 1);
    }

    /** Returns the advisor for {@link LeaderOnly}. Each election that it finds becomes a candidacy. */
    public static Advisor leaderOnly(StringValueResolver properties, Clients clients, Elections elections, int order) {
        AnnotatedMethods<LeaderOnly, LeaderMethod> methods =
                new AnnotatedMethods<>(LeaderOnly.class, properties, (attributes, annotation) -> {
                    LeaderMethod method = LeaderMethod.of(attributes, annotation, clients);
                    elections.add(method.election());
                    return method;
                });
        return advisor(methods, new LeaderInterceptor(methods::of, elections), order - 2);
    }

    /** Returns {@code true} if an annotation applies to a method of the bean. */
    public static boolean applyTo(@Nullable Object bean) {
        return bean instanceof Advised proxy
                && Stream.of(proxy.getAdvisors())
                        .anyMatch(advisor -> advisor instanceof PointcutAdvisor pointcut
                                && pointcut.getPointcut() instanceof Matcher);
    }

    /**
     * Matches annotated methods. When it sees a class for the first time, it checks all of its methods, because a proxy does not
     * ask for those that it cannot intercept, and stops at the first one that matches.
     */
    private static final class Matcher extends StaticMethodMatcherPointcut {

        private final BiPredicate<Method, Class<?>> matches;
        private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

        Matcher(BiPredicate<Method, Class<?>> matches) {
            this.matches = matches;
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            Class<?> type = ClassUtils.getUserClass(targetClass);
            if (!Proxy.isProxyClass(type) && checked.add(type)) {
                for (Method each : ReflectionUtils.getUniqueDeclaredMethods(type)) {
                    var unused = matches.test(each, targetClass);
                }
            }
            return matches.test(method, targetClass);
        }
    }

    private static Advisor advisor(BiPredicate<Method, Class<?>> matches, MethodInterceptor interceptor, int order) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(new Matcher(matches), interceptor);
        advisor.setOrder(order);
        return advisor;
    }
}
