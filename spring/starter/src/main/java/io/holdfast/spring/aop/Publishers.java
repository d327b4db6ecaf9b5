package io.holdfast.spring.aop;

import io.holdfast.Lease;
import io.holdfast.reactor.ReactorLock;
import io.holdfast.spring.OnFailure;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs a method that returns a publisher under its lock, from subscription to the end of the publisher. A canceled subscription
 * withdraws the request, or releases the lock.
 */
record Publishers(LockedMethod method, Target target, Call call) {

    Object publisher() {
        if (ReturnKind.isSuspending(method.attributes().method())) {
            return ReturnKind.isFlow(method.attributes().method()) ? many() : single();
        }
        ReactiveAdapter adapter = Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance()
                .getAdapter(method.attributes().method().getReturnType()));
        return adapter.fromPublisher(adapter.isMultiValue() ? many() : single());
    }

    private Mono<Object> single() {
        return many().singleOrEmpty();
    }

    /** Runs the method once for each subscription, or what {@link io.holdfast.spring.OnFailure} says. */
    private Flux<Object> many() {
        return Flux.defer(() -> {
            AtomicBoolean acquired = new AtomicBoolean();
            return locked(lease -> {
                        acquired.set(true);
                        return proceed(lease);
                    })
                    .concatWith(Flux.defer(() -> acquired.get() ? Flux.empty() : notAcquired()));
        });
    }

    private Flux<Object> locked(Function<Lease, Publisher<Object>> body) {
        return target instanceof Target.OfPermits some
                ? ReactorLock.of(some.semaphore(), some.permits()).tryWithLockMany(method.waitTime(), body)
                : ReactorLock.of(((Target.OfLock) target).lock()).tryWithLockMany(method.waitTime(), body);
    }

    private Publisher<Object> proceed(Lease lease) {
        return published(() -> call.copy().proceed(method.tokenParameter(), lease.fencingToken()));
    }

    private Publisher<Object> notAcquired() {
        if (method.onFailure() == OnFailure.SKIP) {
            return Mono.empty();
        }
        return method.onFailure() == OnFailure.FALLBACK
                ? published(() -> LockedInterceptor.invoke(method.fallback().orElseThrow(), call))
                : Mono.error(() -> LockedInterceptor.timeout(method, target, "others hold it"));
    }

    private static Publisher<Object> published(RunningHolds.Body body) {
        try {
            Object result = body.run();
            ReactiveAdapter adapter = result == null
                    ? null
                    : ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass());
            return adapter == null ? Mono.justOrEmpty(result) : adapter.toPublisher(result);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }
}
