package io.holdfast.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method only in the instance that leads the election of the given name.
 *
 * <pre>{@code
 * @LeaderOnly("outbox")
 * public void send(@FencingToken long token) { ... }
 * }</pre>
 *
 * <p>Each instance that has such a method is a candidate from the start of the application until its end. A call in the leader
 * runs the method, and a call in any other instance returns at once. The leader may lose the leadership while the method runs,
 * so pass the {@link FencingToken} to the resource that is protected. {@link LeadershipGained} and {@link LeadershipLost} are
 * published as events of the application. The method has to return nothing.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

    /** The name of the election; <code>${...}</code> is a property. The leader holds the lock of the same name. */
    String value();

    /** The client that has the election, if there are several. */
    String client() default "";
}
