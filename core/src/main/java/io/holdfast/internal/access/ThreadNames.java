package io.holdfast.internal.access;

import static io.holdfast.spi.Names.printable;

/** The names of threads in texts about owners. */
public final class ThreadNames {

    private ThreadNames() {}

    /** Returns {@code thread NAME}, or {@code thread #ID} if the thread has no name, as most virtual threads. */
    @SuppressWarnings("deprecation")
    public static String named(Thread thread) {
        return "thread " + (thread.getName().isEmpty() ? "#" + thread.getId() : printable(thread.getName()));
    }
}
