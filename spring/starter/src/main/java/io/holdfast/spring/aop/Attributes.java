package io.holdfast.spring.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * The attributes of one annotation at one method. Its errors name the method and the attribute.
 *
 * @param annotation the name of the annotation
 * @param properties replaces properties in texts
 */
record Attributes(String annotation, Method method, Class<?> type, StringValueResolver properties) {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(365);

    /**
     * Returns the method of the class that runs for a method. A proxy class has only final copies of the methods of its
     * interfaces, so the method of the interface stands for it.
     */
    static Method implemented(Method method, Class<?> type) {
        return Proxy.isProxyClass(type)
                ? method
                : AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(type));
    }

    InvalidAnnotationException invalid(String attribute, String why) {
        return new InvalidAnnotationException("@" + annotation + " at " + where() + ", " + attribute + ": " + why);
    }

    InvalidAnnotationException invalid(String why) {
        return new InvalidAnnotationException("@" + annotation + " at " + where() + ": " + why);
    }

    String where() {
        return ClassUtils.getUserClass(type).getName() + "." + method.getName();
    }

    /** Replaces the properties in a text. */
    String text(String attribute, String value) {
        try {
            String text = properties.resolveStringValue(value);
            return text == null ? "" : text;
        } catch (IllegalArgumentException e) {
            throw invalid(attribute, e.getMessage() + "");
        }
    }

    /**
     * Replaces the properties in a text that must not be empty.
     *
     * @param advice says what to write
     */
    String required(String attribute, String value, String advice) {
        String text = text(attribute, value);
        if (text.isBlank()) {
            throw invalid(attribute, "it is empty; " + advice);
        }
        return text;
    }

    /** Returns a name that is the same for all calls, with the properties in it replaced. */
    String fixedName(String attribute, String value, String advice) {
        String text = required(attribute, value, advice);
        if (text.contains("#{")) {
            throw invalid(
                    attribute,
                    "'" + text + "' has an expression, and the name must not depend on the call; use a"
                            + " property such as ${shop.region}, or @Locked");
        }
        return text;
    }

    /** Returns the error for a call whose arguments an attribute cannot use. */
    IllegalArgumentException unusable(String attribute, String why) {
        return new IllegalArgumentException(invalid(attribute, why).getMessage());
    }

    /** Refuses a result, because the method does not always run. */
    void requireNoResult() {
        if (ReturnKind.isSuspending(method)) {
            throw invalid("the method is a suspend function, which returns before its work ends; remove suspend");
        }
        if (method.getReturnType() != void.class) {
            throw invalid("the method has to return nothing, because it does not always run");
        }
    }

    /** Returns a time for which a store can keep a name. */
    Duration storable(String attribute, String value) {
        Duration time = duration(attribute, value);
        if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
            throw invalid(attribute, "'" + value + "' is out of range: 100 ms to 365 days");
        }
        return time;
    }

    Duration duration(String attribute, String value) {
        try {
            return DurationStyle.detectAndParse(text(attribute, value).strip());
        } catch (IllegalArgumentException e) {
            throw invalid(attribute, "'" + value + "' is not a duration; write for example 500ms, 5s or PT5S");
        }
    }
}
