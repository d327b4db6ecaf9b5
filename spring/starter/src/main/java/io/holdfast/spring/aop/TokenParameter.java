package io.holdfast.spring.aop;

import io.holdfast.spring.FencingToken;
import java.lang.reflect.Method;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;

/** Finds the parameter that receives the fencing token. */
final class TokenParameter {

    private TokenParameter() {}

    /** Returns its index; -1 if there is none. The annotation may be at a method of an interface, too. */
    static int of(Attributes attributes, Method method) {
        int found = -1;
        for (MethodParameter parameter : new AnnotatedMethod(method).getMethodParameters()) {
            if (parameter.hasParameterAnnotation(FencingToken.class)) {
                requireLong(attributes, parameter);
                if (found >= 0) {
                    throw attributes.invalid("two parameters have @FencingToken; keep one");
                }
                found = parameter.getParameterIndex();
            }
        }
        return found;
    }

    private static void requireLong(Attributes attributes, MethodParameter parameter) {
        if (parameter.getParameterType() != long.class && parameter.getParameterType() != Long.class) {
            throw attributes.invalid("the parameter with @FencingToken has the type "
                    + parameter.getParameterType().getSimpleName() + "; it must be long or Long");
        }
    }
}
