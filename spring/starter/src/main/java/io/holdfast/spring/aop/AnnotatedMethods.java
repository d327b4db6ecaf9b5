package io.holdfast.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.StringValueResolver;

/**
 * The methods with one annotation, checked when their bean is created. An annotation that is allowed on types applies to their
 * public methods that have none of their own.
 *
 * @param <A> the annotation
 * @param <M> its definition
 */
final class AnnotatedMethods<A extends Annotation, M> implements BiPredicate<Method, Class<?>> {

    private final Class<A> annotation;
    private final StringValueResolver properties;
    private final BiFunction<Attributes, A, M> check;
    private final Map<MethodClassKey, Optional<M>> known = new ConcurrentHashMap<>();

    AnnotatedMethods(Class<A> annotation, StringValueResolver properties, BiFunction<Attributes, A, M> check) {
        this.annotation = annotation;
        this.properties = properties;
        this.check = check;
    }

    /**
     * Returns {@code true} if the method of a class is annotated.
     *
     * @throws InvalidAnnotationException if an attribute is invalid
     */
    @Override
    public boolean test(Method method, Class<?> type) {
        return of(method, type).isPresent();
    }

    /** Returns the definition of the method that is called. */
    M of(MethodInvocation invocation) {
        Object target = invocation.getThis();
        Class<?> type = target == null ? null : AopUtils.getTargetClass(target);
        return of(invocation.getMethod(), type)
                .or(() -> of(invocation.getMethod(), null))
                .orElseThrow();
    }

    private Optional<M> of(Method method, @Nullable Class<?> targetClass) {
        Class<?> type = targetClass == null ? method.getDeclaringClass() : targetClass;
        return isForeign(method, type)
                ? Optional.empty()
                : known.computeIfAbsent(new MethodClassKey(method, type), key -> find(method, type));
    }

    private static boolean isForeign(Method method, Class<?> type) {
        return method.getDeclaringClass() == Object.class
                || Proxy.isProxyClass(method.getDeclaringClass())
                // a bridge method is synthetic, too, and calls by an interface or a subclass may arrive at it
                || (method.isSynthetic() && !method.isBridge())
                || type.getName().startsWith("java.");
    }

    private Optional<M> find(Method method, Class<?> type) {
        Method specific = Attributes.implemented(method, type);
        return Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(specific, annotation))
                .or(() -> onType(specific))
                .map(found ->
                        check.apply(new Attributes(annotation.getSimpleName(), specific, type, properties), found));
    }

    private Optional<A> onType(Method method) {
        return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
                ? Optional.ofNullable(
                        AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(), annotation))
                : Optional.empty();
    }
}
