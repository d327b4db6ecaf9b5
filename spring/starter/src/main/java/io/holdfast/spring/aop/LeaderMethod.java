package io.holdfast.spring.aop;

import io.holdfast.spring.LeaderOnly;

/**
 * A method with {@link LeaderOnly} whose attributes were checked.
 *
 * @param tokenParameter the index of the parameter that receives the token; -1 for none
 */
record LeaderMethod(Attributes attributes, ElectionId election, int tokenParameter) {

    static LeaderMethod of(Attributes attributes, LeaderOnly annotation) {
        Proxying.requirePossible(attributes);
        if (attributes.method().getReturnType() != void.class) {
            throw attributes.invalid("the method has to return nothing, because it does not always run");
        }
        String name = attributes.text("value", annotation.value());
        if (name.isBlank()) {
            throw attributes.invalid("value", "it is empty; name the election");
        }
        return new LeaderMethod(
                attributes,
                new ElectionId(attributes.text("client", annotation.client()), name),
                TokenParameter.of(attributes, attributes.method()));
    }
}
