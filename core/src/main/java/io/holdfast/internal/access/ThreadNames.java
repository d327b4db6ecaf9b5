package io.holdfast.internal.access;

/** The names of threads in texts about owners. */
public final class ThreadNames {

    private ThreadNames() {}

    /** Returns the name of a thread. A virtual thread has no name unless it was given one, so its id is used. */
    @SuppressWarnings("deprecation")
    public static String named(Thread thread) {
        return "thread " + (thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName());
    }
}
