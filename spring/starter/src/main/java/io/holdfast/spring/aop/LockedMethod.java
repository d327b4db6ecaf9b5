package io.holdfast.spring.aop;

import io.holdfast.spring.LockKind;
import io.holdfast.spring.OnFailure;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import org.springframework.expression.Expression;

/**
 * A method with {@link io.holdfast.spring.Locked} whose attributes were checked.
 *
 * @param waitTime the maximum time to wait
 * @param lease the fixed lease; empty if the hold is renewed
 * @param fallback the method that runs if the lock is not acquired in time
 * @param tokenParameter the index of the parameter that receives the token; -1 for none
 */
record LockedMethod(
        Attributes attributes,
        Expression name,
        Optional<Expression> condition,
        Duration waitTime,
        Optional<Duration> lease,
        LockKind kind,
        int permits,
        OnFailure onFailure,
        Optional<Method> fallback,
        int tokenParameter,
        String client,
        ReturnKind returns) {}
