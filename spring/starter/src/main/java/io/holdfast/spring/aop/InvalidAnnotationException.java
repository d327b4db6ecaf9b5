package io.holdfast.spring.aop;

/** Thrown at the start of an application if an annotation of Holdfast cannot work. Its text names method and attribute. */
public final class InvalidAnnotationException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    InvalidAnnotationException(String message) {
        super(message);
    }
}
