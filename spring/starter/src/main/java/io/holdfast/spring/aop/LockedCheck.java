package io.holdfast.spring.aop;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spring.LockKind;
import io.holdfast.spring.Locked;
import io.holdfast.spring.OnFailure;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Checks the attributes of {@link Locked}.
 *
 * @param defaultWait the wait of methods that do not state one
 */
record LockedCheck(Expressions expressions, Clients clients, Duration defaultWait) {

    /**
     * Returns the definition of a method.
     *
     * @throws InvalidAnnotationException if an attribute is invalid
     */
    LockedMethod of(Attributes attributes, Locked locked) {
        Proxying.requirePossible(attributes);
        Method method = attributes.method();
        ReturnKind returns = ReturnKind.of(method);
        if (returns == ReturnKind.STAGE && !method.getReturnType().isAssignableFrom(CompletableFuture.class)) {
            throw attributes.invalid(
                    "the method returns a " + method.getReturnType().getSimpleName()
                            + "; a stage that holds a lock has to be a CompletionStage or a CompletableFuture");
        }
        requireCoroutines(attributes);
        Duration wait = wait(attributes, locked.waitTime());
        if (!locked.waitTime().isEmpty()) {
            TransactionTimeout.requireLongerThan(wait, attributes);
        }
        requireFailureOptions(attributes, locked, returns);
        requirePermits(attributes, locked);
        return new LockedMethod(
                attributes,
                expressions.template(
                        attributes,
                        "name",
                        attributes.required("name", locked.name(), "name the lock, for example \"orders/#{#id}\"")),
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
                clients.named(attributes, locked.client()),
                returns);
    }

    /** Refuses a suspending function that Spring would not call as a publisher, so that it would never run. */
    private static void requireCoroutines(Attributes attributes) {
        ClassLoader loader = attributes.method().getDeclaringClass().getClassLoader();
        if (ReturnKind.isSuspending(attributes.method())
                && !(ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", loader)
                        && ClassUtils.isPresent("kotlin.reflect.full.KClasses", loader))) {
            throw attributes.invalid(
                    "a suspend function needs kotlinx-coroutines-reactor and kotlin-reflect; add both, or call"
                            + " withLock of holdfast-kotlin in the function");
        }
    }

    private Duration wait(Attributes attributes, String value) {
        String text = attributes.text("waitTime", value).strip();
        if (text.isEmpty()) {
            return defaultWait;
        }
        if (text.equals(Locked.UNLIMITED)) {
            return ChronoUnit.FOREVER.getDuration();
        }
        Duration wait = attributes.duration("waitTime", value);
        if (wait.isNegative()) {
            throw attributes.invalid(
                    "waitTime", "'" + value + "' is negative; write 0 not to wait, or " + Locked.UNLIMITED);
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
        return Optional.of(attributes.storable("lease", text));
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
        if (named && locked.onFailure() != OnFailure.FALLBACK) {
            throw attributes.invalid("fallback", "it has no effect; set onFailure to FALLBACK");
        }
        if (!named && locked.onFailure() == OnFailure.FALLBACK) {
            throw attributes.invalid("onFailure", "FALLBACK needs the name of a method; set fallback");
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
                    "there is no method " + quoted(name) + " with the same parameters, and a return type that fits "
                            + method.getReturnType().getSimpleName());
        }
        ReflectionUtils.makeAccessible(fallback);
        return Optional.of(fallback);
    }
}
