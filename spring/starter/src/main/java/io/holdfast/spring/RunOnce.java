package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method at most once per period, among all instances of an application. It is for {@code @Scheduled} methods.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 2 * * *")
 * @RunOnce(name = "nightly-report", every = "1h")
 * public void report() { ... }
 * }</pre>
 *
 * <p>The first instance that calls the method acquires the lock of the name and runs the method. The lock stays held until the
 * period is over, counted from its acquire, even if the method ends earlier. If the process stops or dies, the lock stays held
 * for the period or the lease of the client, whichever is longer. Calls in that time do not run the method, and return at once.
 * If the method takes longer than the period, its hold is renewed until it ends; see {@link
 * io.holdfast.DistributedLock#runOnce}. Choose a period that is longer than the clocks of the instances may differ, and shorter
 * than the time between two runs.
 *
 * <p>If the store is unreachable, the call throws a {@link io.holdfast.HoldfastException}, which Spring's scheduler logs. The
 * method has to return nothing.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface RunOnce {

    /** The name of the lock; <code>${...}</code> is a property. */
    String name();

    /** The period: a duration of 100 ms to 365 days such as {@code 10m}, or a property <code>${...}</code>. */
    String every();

    /** The client that has the lock, if there are several. */
    String client() default "";
}
