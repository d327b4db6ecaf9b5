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

    static RunOnceMethod of(Attributes attributes, RunOnce annotation, Clients clients) {
        Proxying.requirePossible(attributes);
        attributes.requireNoResult();
        return new RunOnceMethod(
                attributes,
                attributes.fixedName("name", annotation.name(), "name the lock"),
                attributes.storable("every", annotation.every()),
                clients.named(attributes, annotation.client()));
    }
}
