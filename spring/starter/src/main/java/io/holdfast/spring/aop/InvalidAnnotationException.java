package io.holdfast.spring.aop;

/**
 * Thrown if an annotation of Holdfast cannot work, at the start of an application or at a call. Its text names method and
 * attribute.
 */
public final class InvalidAnnotationException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    InvalidAnnotationException(String message) {
        super(message);
    }
}
