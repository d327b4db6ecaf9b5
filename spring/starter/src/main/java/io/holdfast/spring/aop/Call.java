package io.holdfast.spring.aop;

import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** One call of an annotated method, which has not run yet. */
record Call(MethodInvocation invocation) {

    @Nullable
    Object[] arguments() {
        return invocation.getArguments();
    }

    Object target() {
        return Objects.requireNonNull(invocation.getThis());
    }

    /** Returns a copy, for a method that runs later or again. */
    Call copy() {
        return invocation instanceof ProxyMethodInvocation proxied ? new Call(proxied.invocableClone()) : this;
    }

    /**
     * Runs the method.
     *
     * @param tokenParameter the index of the parameter that receives the token; negative for none
     */
    @Nullable
    Object proceed(int tokenParameter, long token) throws Throwable {
        if (tokenParameter >= 0) {
            arguments()[tokenParameter] = token;
        }
        return invocation.proceed();
    }
}
