package io.holdfast.spring.boot;

/** Thrown at the start if a client cannot be created. */
final class ClientStartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    ClientStartException(String message, String action, Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns what to do. */
    String action() {
        return action;
    }
}
