package io.holdfast.spring.boot;

/** Thrown at the start if nothing says which store to use. */
final class NoStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoStoreException() {
        super("no store for locks: holdfast.uri is not set, and the application has no single LettuceConnectionFactory"
                + " and, with holdfast-jdbc on the class path, no single DataSource");
    }
}
