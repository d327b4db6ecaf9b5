package io.holdfast.redisson.api;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An object with an interface of Redisson. A call of a method goes to the method of a target that has the same name and the
 * same parameter types. A method that no target has is refused, or goes to a fallback.
 */
final class Dispatcher implements InvocationHandler {

    private static final String ASYNC = "Async";

    /** The treatment of a method that no target has. */
    interface Fallback {
        @Nullable
        Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
    }

    private record Signature(String name, List<Class<?>> parameters) {

        static Signature of(Method method) {
            return new Signature(method.getName(), List.of(method.getParameterTypes()));
        }

        /** Returns the signature of the blocking method that belongs to an asynchronous one. */
        Signature blocking() {
            return new Signature(name.substring(0, name.length() - ASYNC.length()), parameters);
        }
    }

    private record Target(Object object, Method method) {

        @Nullable
        Object call(@Nullable Object @Nullable [] arguments) throws Throwable {
            return Dispatcher.call(object, method, arguments);
        }

        @Nullable
        Object callUnchecked(@Nullable Object @Nullable [] arguments) {
            try {
                return call(arguments);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(method + " threw a checked exception", e);
            }
        }
    }

    private final Background background;
    private final Fallback fallback;
    private final List<Object> objects;
    private final Map<Signature, Target> targets = new HashMap<>();

    private Dispatcher(Background background, Fallback fallback, Object... objects) {
        this.background = background;
        this.fallback = fallback;
        this.objects = List.of(objects);
        for (Object object : objects) {
            methodsOf(object).forEach(method -> targets.put(Signature.of(method), new Target(object, method)));
        }
    }

    private static List<Method> methodsOf(Object object) {
        return Arrays.stream(object.getClass().getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class)
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isBridge())
                .toList();
    }

    /** Returns an object that refuses each method that no target has. The first target gives its text. */
    static <T> T of(Class<T> type, Background background, Object... targets) {
        Fallback refusal = (method, arguments) -> {
            throw refusal(targets[0].toString(), method, "");
        };
        return of(type, background, refusal, targets);
    }

    /** Returns an object that passes each method that no target has to the fallback. */
    static <T> T of(Class<T> type, Background background, Fallback fallback, Object... targets) {
        InvocationHandler handler = new Dispatcher(background, fallback, targets);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Returns the target of the given class behind an object of this class; empty if there is none. */
    static <T> Optional<T> target(Class<T> type, @Nullable Object object) {
        return object != null
                        && Proxy.isProxyClass(object.getClass())
                        && Proxy.getInvocationHandler(object) instanceof Dispatcher dispatcher
                ? dispatcher.objects.stream()
                        .filter(type::isInstance)
                        .map(type::cast)
                        .findFirst()
                : Optional.empty();
    }

    /** Calls the method, and throws what it throws. */
    static @Nullable Object call(Object object, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() != null ? e.getCause() : e;
        }
    }

    static UnsupportedOperationException refusal(String what, Method method, String advice) {
        return new UnsupportedOperationException(
                what + ": Holdfast does not support " + text(method) + " of Redisson" + advice);
    }

    private static String text(Method method) {
        List<String> parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .toList();
        return method.getDeclaringClass().getSimpleName() + "." + method.getName() + "(" + String.join(", ", parameters)
                + ")";
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, method, arguments);
        }
        Target own = targets.get(Signature.of(method));
        if (own != null) {
            return own.call(arguments);
        }
        Optional<Target> blocking = blocking(method);
        if (blocking.isPresent()) {
            return background.call(() -> blocking.get().callUnchecked(arguments));
        }
        return fallback.call(method, arguments);
    }

    private Optional<Target> blocking(Method method) {
        return Optional.of(method)
                .filter(called -> called.getName().endsWith(ASYNC))
                .map(called -> targets.get(Signature.of(called).blocking()))
                .filter(target -> target.method().isAnnotationPresent(InBackground.class));
    }

    private @Nullable Object ofObject(Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> objects.get(0).toString();
        };
    }
}
