package io.holdfast.spring.aop;

import io.holdfast.spring.LockKind;
import io.holdfast.spring.Locked;
import io.holdfast.spring.OnFailure;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/** Finds and checks the methods with {@link Locked}, when their bean is created. */
final class LockedMethods {

    private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    private static final Duration LONGEST_LEASE = Duration.ofDays(365);
    private static final String TRANSACTIONAL = "org.springframework.transaction.annotation.Transactional";

    private final StringValueResolver properties;
    private final Expressions expressions;
    private final Duration defaultWait;
    private final Map<MethodClassKey, Optional<LockedMethod>> known = new ConcurrentHashMap<>();

    LockedMethods(StringValueResolver properties, Expressions expressions, Duration defaultWait) {
        this.properties = properties;
        this.expressions = expressions;
        this.defaultWait = defaultWait;
    }

    /**
     * Returns the definition for a method of a class; empty if it is not annotated.
     *
     * @throws IllegalArgumentException if an attribute is invalid
     */
    Optional<LockedMethod> of(Method method, @Nullable Class<?> targetClass) {
        Class<?> type = targetClass == null ? method.getDeclaringClass() : targetClass;
        if (isForeign(method, type)) {
            return Optional.empty();
        }
        return known.computeIfAbsent(new MethodClassKey(method, type), key -> find(method, type));
    }

    private static boolean isForeign(Method method, Class<?> type) {
        return method.getDeclaringClass() == Object.class
                || Proxy.isProxyClass(method.getDeclaringClass())
                || method.isSynthetic()
                || type.getName().startsWith("java.");
    }

    private Optional<LockedMethod> find(Method method, Class<?> type) {
        Method specific = Attributes.implemented(method, type);
        Locked onMethod = AnnotatedElementUtils.findMergedAnnotation(specific, Locked.class);
        if (onMethod != null) {
            return Optional.of(checked(onMethod, specific, type));
        }
        Locked onClass = Modifier.isPublic(specific.getModifiers()) && !Modifier.isStatic(specific.getModifiers())
                ? AnnotatedElementUtils.findMergedAnnotation(specific.getDeclaringClass(), Locked.class)
                : null;
        return Optional.ofNullable(onClass).map(locked -> checked(locked, specific, type));
    }

    private LockedMethod checked(Locked locked, Method method, Class<?> type) {
        Attributes attributes = new Attributes("Locked", method, type, properties);
        Proxying.requirePossible(attributes);
        ReturnKind returns = ReturnKind.of(method);
        if (returns == ReturnKind.STAGE && !method.getReturnType().isAssignableFrom(CompletableFuture.class)) {
            throw attributes.invalid(
                    "the method returns a " + method.getReturnType().getSimpleName()
                            + "; a stage that holds a lock has to be a CompletionStage or a CompletableFuture");
        }
        Duration wait = wait(attributes, locked.waitTime());
        if (!locked.waitTime().isEmpty()) {
            requireShorterThanTransaction(attributes, wait);
        }
        requireFailureOptions(attributes, locked, returns);
        requirePermits(attributes, locked);
        return new LockedMethod(
                attributes,
                expressions.template(attributes, "name", name(attributes, locked)),
                Optional.of(locked.condition())
                        .filter(text -> !text.isEmpty())
                        .map(text ->
                                expressions.condition(attributes, "condition", attributes.text("condition", text))),
                wait,
                lease(attributes, locked.lease(), returns),
                locked.kind(),
                locked.permits(),
                locked.onFailure(),
                fallback(attributes, locked.fallback()),
                TokenParameter.of(attributes, method),
                attributes.text("client", locked.client()),
                returns);
    }

    private static String name(Attributes attributes, Locked locked) {
        String name = attributes.text("name", locked.name());
        if (name.isBlank()) {
            throw attributes.invalid("name", "it is empty; name the lock, for example \"orders/#{#id}\"");
        }
        return name;
    }

    private Duration wait(Attributes attributes, String text) {
        if (attributes.text("waitTime", text).isBlank()) {
            return defaultWait;
        }
        if (attributes.text("waitTime", text).strip().equals(Locked.UNLIMITED)) {
            return ChronoUnit.FOREVER.getDuration();
        }
        Duration wait = attributes.duration("waitTime", text);
        if (wait.isNegative()) {
            throw attributes.invalid(
                    "waitTime", "'" + text + "' is negative; write 0 not to wait, or " + Locked.UNLIMITED);
        }
        return wait;
    }

    private static Optional<Duration> lease(Attributes attributes, String text, ReturnKind returns) {
        if (attributes.text("lease", text).isBlank()) {
            return Optional.empty();
        }
        if (returns == ReturnKind.PUBLISHER) {
            throw attributes.invalid("lease", "a method that returns a publisher cannot have one; limit the publisher");
        }
        Duration lease = attributes.duration("lease", text);
        if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
            throw attributes.invalid("lease", "'" + text + "' is out of range: 100 ms to 365 days");
        }
        return Optional.of(lease);
    }

    private static void requirePermits(Attributes attributes, Locked locked) {
        if (locked.permits() < 1) {
            throw attributes.invalid("permits", locked.permits() + " is out of range: at least 1");
        }
        if (locked.permits() != 1 && locked.kind() != LockKind.PERMITS) {
            throw attributes.invalid("permits", "it needs kind PERMITS, not " + locked.kind());
        }
    }

    private static void requireFailureOptions(Attributes attributes, Locked locked, ReturnKind returns) {
        boolean named = !locked.fallback().isEmpty();
        if (named != (locked.onFailure() == OnFailure.FALLBACK)) {
            throw attributes.invalid("fallback", "onFailure FALLBACK and the name of a method belong together");
        }
        Class<?> result = attributes.method().getReturnType();
        if (locked.onFailure() == OnFailure.SKIP
                && returns == ReturnKind.VALUE
                && result.isPrimitive()
                && result != void.class) {
            throw attributes.invalid(
                    "onFailure", "SKIP cannot return a " + result + "; return Optional, or choose FALLBACK");
        }
    }

    private static Optional<Method> fallback(Attributes attributes, String name) {
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Method method = attributes.method();
        Method fallback = ReflectionUtils.findMethod(
                ClassUtils.getUserClass(attributes.type()), name, method.getParameterTypes());
        if (fallback == null || !ClassUtils.isAssignable(method.getReturnType(), fallback.getReturnType())) {
            throw attributes.invalid(
                    "fallback",
                    "there is no method '" + name + "' with the same parameters, and a return type that fits "
                            + method.getReturnType().getSimpleName());
        }
        ReflectionUtils.makeAccessible(fallback);
        return Optional.of(fallback);
    }

    /**
     * Refuses a wait that alone would exceed the timeout of the transaction in which the caller may wait. Read by name, because
     * the application may have no transactions.
     */
    private static void requireShorterThanTransaction(Attributes attributes, Duration wait) {
        MergedAnnotation<?> transactional = MergedAnnotations.from(attributes.method(), SearchStrategy.TYPE_HIERARCHY)
                .get(TRANSACTIONAL);
        int seconds = transactional.isPresent() ? transactional.getInt("timeout") : -1;
        if (seconds > 0 && wait.compareTo(Duration.ofSeconds(seconds)) > 0) {
            throw attributes.invalid(
                    "waitTime",
                    "it is longer than the timeout of @Transactional (" + seconds
                            + " s), within which a caller with a transaction would wait; choose a shorter wait");
        }
    }
}
