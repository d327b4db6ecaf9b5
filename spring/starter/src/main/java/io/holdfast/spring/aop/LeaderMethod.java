package io.holdfast.spring.aop;

import io.holdfast.spring.LeaderOnly;

/**
 * A method with {@link LeaderOnly} whose attributes were checked.
 *
 * @param tokenParameter the index of the parameter that receives the token; -1 for none
 */
record LeaderMethod(ElectionId election, int tokenParameter) {

    static LeaderMethod of(Attributes attributes, LeaderOnly annotation, Clients clients) {
        Proxying.requirePossible(attributes);
        attributes.requireNoResult();
        String name = attributes.fixedName("value", annotation.value(), "name the election");
        return new LeaderMethod(
                new ElectionId(clients.named(attributes, annotation.client()), name),
                TokenParameter.of(attributes, attributes.method()));
    }
}
