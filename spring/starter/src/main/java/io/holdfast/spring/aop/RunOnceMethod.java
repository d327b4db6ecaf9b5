package io.holdfast.spring.aop;

import io.holdfast.spring.RunOnce;
import java.time.Duration;

/**
 * A method with {@link RunOnce} whose attributes were checked.
 *
 * @param name the name of the lock
 * @param every the period
 * @param client the qualifier of the client
 */
record RunOnceMethod(Attributes attributes, String name, Duration every, String client) {

    static RunOnceMethod of(Attributes attributes, RunOnce annotation) {
        Proxying.requirePossible(attributes);
        if (attributes.method().getReturnType() != void.class) {
            throw attributes.invalid("the method has to return nothing, because it does not always run");
        }
        String name = attributes.text("name", annotation.name());
        if (name.isBlank()) {
            throw attributes.invalid("name", "it is empty; name the lock");
        }
        Duration every = attributes.duration("every", annotation.every());
        if (every.compareTo(Duration.ofMillis(100)) < 0 || every.compareTo(Duration.ofDays(365)) > 0) {
            throw attributes.invalid("every", "'" + annotation.every() + "' is out of range: 100 ms to 365 days");
        }
        return new RunOnceMethod(attributes, name, every, attributes.text("client", annotation.client()));
    }
}
