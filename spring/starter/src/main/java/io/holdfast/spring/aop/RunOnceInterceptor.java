package io.holdfast.spring.aop;

import java.util.Objects;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs methods with {@link io.holdfast.spring.RunOnce} if no instance has run them in their period. */
final class RunOnceInterceptor implements MethodInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast.spring");

    private final Function<MethodInvocation, RunOnceMethod> methods;
    private final Clients clients;

    RunOnceInterceptor(Function<MethodInvocation, RunOnceMethod> methods, Clients clients) {
        this.methods = methods;
        this.clients = clients;
    }

    /** Carries an exception of the method through the run. */
    private static final class Failed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Failed(Throwable cause) {
            super(cause.toString(), cause, true, false);
        }

        Throwable original() {
            Throwable original = Objects.requireNonNull(getCause());
            for (Throwable suppressed : getSuppressed()) {
                original.addSuppressed(suppressed);
            }
            return original;
        }
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        RunOnceMethod method = methods.apply(invocation);
        try {
            boolean ran =
                    clients.apply(method.client()).lock(method.name()).runOnce(method.every(), () -> run(invocation));
            if (!ran) {
                LOG.debug(
                        "{} did not run: another instance runs it, or has run it within {}",
                        method.attributes().where(),
                        method.every());
            }
            return null;
        } catch (Failed e) {
            throw e.original();
        }
    }

    private static void run(MethodInvocation invocation) {
        try {
            var unused = invocation.proceed();
        } catch (Throwable e) {
            throw new Failed(e);
        }
    }
}
