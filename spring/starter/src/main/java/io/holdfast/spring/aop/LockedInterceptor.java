package io.holdfast.spring.aop;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.spring.LockInterruptedException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * Runs methods with {@link io.holdfast.spring.Locked} under their locks.
 *
 * <ol>
 *   <li>A method that returns a value holds the lock by its thread, so a nested call is reentrant. A method that returns a stage
 *       or a publisher holds it by a lease, because another thread ends it.
 *   <li>A transaction that ends in the method does not commit if the hold is known to be lost.
 *   <li>If the caller has a transaction, the release waits for its end. Otherwise, others could acquire the lock before they can
 *       see the changes.
 *   <li>A failure of the release never hides the failure of the method.
 * </ol>
 */
final class LockedInterceptor implements MethodInterceptor {

    private final Function<MethodInvocation, LockedMethod> methods;
    private final Expressions expressions;
    private final Clients clients;

    LockedInterceptor(Function<MethodInvocation, LockedMethod> methods, Expressions expressions, Clients clients) {
        this.methods = methods;
        this.expressions = expressions;
        this.clients = clients;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockedMethod method = methods.apply(invocation);
        Call call = new Call(invocation);
        if (!applies(method, call)) {
            return invocation.proceed();
        }
        String name = expressions.name(method.attributes(), "name", method.name(), call);
        Holdfast client = clients.apply(method.client());
        Target acquired = Target.of(client, method, name);
        return switch (method.returns()) {
            case VALUE -> runForValue(method, acquired, call);
            case STAGE -> runForStage(method, acquired, call);
            case PUBLISHER -> new Publishers(method, acquired, call).publisher();
        };
    }

    private boolean applies(LockedMethod method, Call call) {
        return method.condition().isEmpty()
                || expressions.isTrue(
                        method.attributes(), "condition", method.condition().get(), call);
    }

    private static @Nullable Object runForValue(LockedMethod method, Target target, Call call) throws Throwable {
        UnaryOperator<Held> untilEnd = Transactions.untilEnd();
        Optional<Held> held = interruptibly(method, target, () -> target.hold(method.waitTime(), method.lease()));
        if (held.isEmpty()) {
            return notAcquired(method, target, call);
        }
        try (Held release = untilEnd.apply(held.get())) {
            return RunningHolds.during(release, () -> call.proceed(method.tokenParameter(), release.token()));
        }
    }

    private static @Nullable Object runForStage(LockedMethod method, Target target, Call call) throws Throwable {
        CompletableFuture<Void> transaction = Transactions.end();
        Optional<? extends Lease> lease =
                interruptibly(method, target, () -> target.acquire(method.waitTime(), method.lease()));
        if (lease.isEmpty()) {
            return notAcquired(method, target, call);
        }
        return untilStageEnds(method, lease.get(), call, transaction);
    }

    private static CompletionStage<?> untilStageEnds(
            LockedMethod method, Lease lease, Call call, CompletableFuture<Void> transaction) throws Throwable {
        Object stage;
        Held held = new Target.ByLease(lease);
        try {
            Transactions.requireAtCommit(held);
            stage = RunningHolds.during(held, () -> call.proceed(method.tokenParameter(), held.token()));
        } catch (Throwable e) {
            closeAfter(lease, e);
            throw e;
        }
        CompletionStage<?> result =
                stage instanceof CompletionStage<?> some ? some : CompletableFuture.completedFuture(stage);
        if (transaction.isDone()) {
            return result.handle(Ended::new)
                    .thenCompose(ended -> lease.closeAsync().handle((nothing, error) -> ended.result(error)));
        }
        // the stage must not wait for the transaction, because the caller may wait for the stage in it
        var unused = result.handle(Ended::new).thenCombine(transaction, (ended, nothing) -> lease.closeAsync());
        return result;
    }

    private static void closeAfter(Lease lease, Throwable failure) {
        try {
            lease.close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** The outcome of the stage of a method. */
    private record Ended(@Nullable Object value, @Nullable Throwable error) {

        /** Returns the value, or throws the error of the method, or else that of the release. */
        @Nullable
        Object result(@Nullable Throwable releaseError) {
            if (error != null) {
                if (releaseError != null) {
                    error.addSuppressed(releaseError);
                }
                throw wrapped(error);
            }
            if (releaseError != null) {
                throw wrapped(releaseError);
            }
            return value;
        }

        private static CompletionException wrapped(Throwable error) {
            return error instanceof CompletionException known ? known : new CompletionException(error);
        }
    }

    private interface Acquire<T> {

        T run() throws InterruptedException;
    }

    private static <T> T interruptibly(LockedMethod method, Target target, Acquire<T> acquire)
            throws InterruptedException {
        try {
            return acquire.run();
        } catch (InterruptedException e) {
            boolean declared = Arrays.stream(method.attributes().method().getExceptionTypes())
                    .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
            if (declared) {
                throw e;
            }
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "interrupted while waiting for " + target + " of "
                            + method.attributes().where(),
                    e);
        }
    }

    private static @Nullable Object notAcquired(LockedMethod method, Target target, Call call) throws Throwable {
        return switch (method.onFailure()) {
            case THROW -> throw timeout(method, target, target.holder());
            case SKIP -> Skipped.valueFor(method.attributes().method().getReturnType());
            case FALLBACK -> invoke(method.fallback().orElseThrow(), call);
        };
    }

    static LockTimeoutException timeout(LockedMethod method, Target target, String holder) {
        return new LockTimeoutException(
                target.name(),
                method.attributes().where() + " did not acquire " + target + " within "
                        + method.waitTime().toMillis() + " ms: " + holder);
    }

    static @Nullable Object invoke(Method fallback, Call call) throws Throwable {
        return AopUtils.invokeJoinpointUsingReflection(call.target(), fallback, call.arguments());
    }
}
