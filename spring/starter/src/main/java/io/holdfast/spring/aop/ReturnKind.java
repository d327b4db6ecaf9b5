package io.holdfast.spring.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** Says until when a method needs its lock. */
enum ReturnKind {
    /** Until it returns. */
    VALUE,
    /** Until the stage that it returns has ended. */
    STAGE,
    /** Until the publisher that it returns has ended. */
    PUBLISHER;

    static ReturnKind of(Method method) {
        if (CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            return STAGE;
        }
        return isSuspending(method) || adapter(method) != null ? PUBLISHER : VALUE;
    }

    /** A suspending function of Kotlin returns a publisher to its interceptors. */
    static boolean isSuspending(Method method) {
        return KotlinDetector.isKotlinPresent() && KotlinDetector.isSuspendingFunction(method);
    }

    /** Returns {@code true} if a function of Kotlin returns a flow. A flow of a suspending function is a publisher as well. */
    static boolean isFlow(Method method) {
        return new MethodParameter(method, -1).getParameterType().getName().equals("kotlinx.coroutines.flow.Flow");
    }

    private static @Nullable ReactiveAdapter adapter(Method method) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
    }
}
