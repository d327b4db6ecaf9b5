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

    Duration duration(String attribute, String value) {
        try {
            return DurationStyle.detectAndParse(text(attribute, value).strip());
        } catch (IllegalArgumentException e) {
            throw invalid(attribute, "'" + value + "' is not a duration; write for example 500ms, 5s or PT5S");
        }
    }
}
