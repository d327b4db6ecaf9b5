package io.holdfast.spring.aop;

import java.lang.reflect.Modifier;

/** Checks that a proxy can intercept a method. Otherwise, the annotation would have no effect, silently. */
final class Proxying {

    private Proxying() {}

    static void requirePossible(Attributes attributes) {
        int modifiers = attributes.method().getModifiers();
        String why = Modifier.isPrivate(modifiers)
                ? "private"
                : Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : "";
        if (!why.isEmpty()) {
            throw attributes.invalid("the method is " + why + ", so no proxy can intercept it; remove " + why);
        }
        Class<?> type = attributes.type();
        if (Modifier.isFinal(type.getModifiers()) && type.getInterfaces().length == 0) {
            throw attributes.invalid(
                    "the class is final, so no proxy can intercept the method; remove final, or in Kotlin,"
                            + " use the compiler plugin kotlin-spring");
        }
    }
}
