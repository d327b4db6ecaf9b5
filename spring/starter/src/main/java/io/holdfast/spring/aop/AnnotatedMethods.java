package io.holdfast.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.StringValueResolver;

/**
 * The methods with an annotation that is allowed on methods only, checked when their bean is created.
 *
 * @param <A> the annotation
 * @param <M> its definition
 */
final class AnnotatedMethods<A extends Annotation, M> {

    private final Class<A> annotation;
    private final StringValueResolver properties;
    private final BiFunction<Attributes, A, M> check;
    private final Map<MethodClassKey, Optional<M>> known = new ConcurrentHashMap<>();

    AnnotatedMethods(Class<A> annotation, StringValueResolver properties, BiFunction<Attributes, A, M> check) {
        this.annotation = annotation;
        this.properties = properties;
        this.check = check;
    }

    M of(MethodInvocation invocation) {
        Object target = invocation.getThis();
        Class<?> type = target == null ? null : AopUtils.getTargetClass(target);
        return of(invocation.getMethod(), type)
                .or(() -> of(invocation.getMethod(), null))
                .orElseThrow();
    }

    Optional<M> of(Method method, @Nullable Class<?> targetClass) {
        Class<?> type = targetClass == null ? method.getDeclaringClass() : targetClass;
        return known.computeIfAbsent(new MethodClassKey(method, type), key -> find(method, type));
    }

    private Optional<M> find(Method method, Class<?> type) {
        if (Proxy.isProxyClass(method.getDeclaringClass())) {
            return Optional.empty();
        }
        Method specific = Attributes.implemented(method, type);
        return Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(specific, annotation))
                .map(found ->
                        check.apply(new Attributes(annotation.getSimpleName(), specific, type, properties), found));
    }
}
