package io.holdfast.spring.aop;

import io.holdfast.spring.FencingToken;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the parameter that receives the fencing token. */
final class TokenParameter {

    private TokenParameter() {}

    /** Returns its index; -1 if there is none. */
    static int of(Attributes attributes, Method method) {
        int found = -1;
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (AnnotatedElementUtils.hasAnnotation(parameters[i], FencingToken.class)) {
                requireLong(attributes, parameters[i]);
                if (found >= 0) {
                    throw attributes.invalid("two parameters have @FencingToken; keep one");
                }
                found = i;
            }
        }
        return found;
    }

    private static void requireLong(Attributes attributes, Parameter parameter) {
        if (parameter.getType() != long.class && parameter.getType() != Long.class) {
            throw attributes.invalid("the parameter with @FencingToken has the type "
                    + parameter.getType().getSimpleName() + "; it must be long or Long");
        }
    }
}
