package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method of a Spring bean under a lock.
 *
 * <pre>{@code
 * @Locked("orders/#{#id}")
 * @Transactional
 * public void ship(long id, @FencingToken long token) { ... }
 * }</pre>
 *
 * <p>The lock is acquired before the method begins, and released after it has ended, whether it returns or throws. If the
 * method is transactional, the transaction commits before the release. If the caller already has a transaction, the lock is
 * released after that transaction has ended, because others must not acquire it before they can see the changes. If the client
 * knows before the commit that the hold is lost, either transaction is rolled back.
 *
 * <ul>
 *   <li>Free: the method runs, and the lease is renewed until it has ended, unless {@link #lease} is given.
 *   <li>Held by the calling thread: the method runs under the hold of the thread (reentrant). Permits are never reentrant.
 *   <li>Held by another: the call waits for {@link #waitTime}, and then does what {@link #onFailure} says.
 *   <li>Interrupted while waiting: the call throws {@link InterruptedException} if the method declares it, and otherwise {@link
 *       LockInterruptedException}. The interrupt status is preserved.
 *   <li>Store unreachable: the call throws {@link io.holdfast.StoreUnavailableException} or another {@link
 *       io.holdfast.HoldfastException}. The method does not run.
 *   <li>Lost while the method runs: the method is not stopped. The call throws {@link io.holdfast.LeaseLostException} after it,
 *       unless the method itself throws. Pass a {@link FencingToken} to the resource that the lock protects.
 * </ul>
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage} holds the lock until the stage ends. The call waits
 * for the lock on the calling thread. A method that returns a reactive type holds the lock from subscription until the publisher
 * ends, and no thread waits. A suspending function of Kotlin holds it until its coroutine ends. In these cases the hold belongs
 * to no thread, so it is not reentrant.
 *
 * <p>On a class or an interface, the annotation applies to all public methods that it declares and that have none of their own. As with all
 * annotations of Spring, a call from the same object does not pass the proxy, and acquires nothing. A private, static or final
 * method, an expression that cannot be parsed, and options that exclude each other fail the start of the application.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Locked {

    /** The value of {@link #waitTime} for a wait without a limit. */
    String UNLIMITED = "unlimited";

    /** Alias for {@link #name}. */
    @AliasFor("name")
    String value() default "";

    /**
     * The name of the lock: a text in which <code>#{...}</code> is an expression of the Spring Expression Language, and
     * <code>${...}</code> a property. The arguments are variables: <code>orders/#{#id}</code>, or <code>#{#a0}</code> by
     * position. <code>#root</code> has <code>method</code>, <code>args</code>, <code>target</code> and <code>targetClass</code>.
     * Beans are <code>@name</code>.
     *
     * <p>An expression that results in null or an empty text fails the call.
     */
    @AliasFor("value")
    String name() default "";

    /**
     * The maximum time to wait for the lock: a duration such as {@code 500ms}, {@code 5s} or {@code PT5S}, a property
     * <code>${...}</code>, {@code 0} not to wait, or {@value #UNLIMITED}. By default, the property {@code holdfast.locked.wait-time}
     * (30 s).
     */
    String waitTime() default "";

    /**
     * The time after which the hold ends even if the method has not ended, without renewal: a duration of 100 ms to 365 days. By
     * default, the hold is renewed until the method has ended.
     */
    String lease() default "";

    /** What is acquired. */
    LockKind kind() default LockKind.LOCK;

    /** The number of permits that {@link LockKind#PERMITS} acquires. The semaphore has to be given permits before. */
    int permits() default 1;

    /** What happens if others hold the lock for the whole wait. */
    OnFailure onFailure() default OnFailure.THROW;

    /**
     * The name of a method of the same class that runs with {@link OnFailure#FALLBACK}. It has the parameters of this method
     * and a return type that this method may return.
     */
    String fallback() default "";

    /**
     * An expression of the Spring Expression Language, without <code>#{ }</code>. If it is false, the method runs without a
     * lock.
     */
    String condition() default "";

    /** The client that has the lock, if there are several: the name of {@code holdfast.clients.NAME}, or another qualifier. */
    String client() default "";
}
