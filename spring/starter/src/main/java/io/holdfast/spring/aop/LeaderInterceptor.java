package io.holdfast.spring.aop;

import io.holdfast.recipes.Leadership;
import java.util.Optional;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Runs methods with {@link io.holdfast.spring.LeaderOnly} in the leader. */
final class LeaderInterceptor implements MethodInterceptor {

    private final Function<MethodInvocation, LeaderMethod> methods;
    private final Elections elections;

    LeaderInterceptor(Function<MethodInvocation, LeaderMethod> methods, Elections elections) {
        this.methods = methods;
        this.elections = elections;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LeaderMethod method = methods.apply(invocation);
        Optional<Leadership> leadership = elections.leadership(method.election());
        return leadership.isPresent()
                ? new Call(invocation)
                        .proceed(method.tokenParameter(), leadership.get().fencingToken())
                : null;
    }
}
