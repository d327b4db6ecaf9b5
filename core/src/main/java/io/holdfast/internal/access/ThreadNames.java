package io.holdfast.internal.access;

/** Owners in texts. */
public final class ThreadNames {

    private ThreadNames() {}

    /** A virtual thread has no name unless it was given one. */
    @SuppressWarnings("deprecation")
    public static String named(Thread thread) {
        return "thread " + (thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName());
    }
}
