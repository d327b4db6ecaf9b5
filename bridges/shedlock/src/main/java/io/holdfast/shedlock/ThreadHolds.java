package io.holdfast.shedlock;

import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/** The holds that one thread acquired and that nobody has released, the newest last. Any thread may release one of them. */
final class ThreadHolds {

    private static final ThreadLocal<ThreadHolds> OF_THREAD = ThreadLocal.withInitial(ThreadHolds::new);

    private final Thread owner = Thread.currentThread();
    private final ConcurrentLinkedDeque<Held> open = new ConcurrentLinkedDeque<>();

    private ThreadHolds() {}

    /** Adds a hold of the current thread. Forgets those that ended without a release. */
    static ThreadHolds add(Held held) {
        ThreadHolds own = OF_THREAD.get();
        own.open.removeIf(earlier -> !earlier.isValid());
        own.open.addLast(held);
        return own;
    }

    static Optional<Held> innermost() {
        Optional<Held> last = Optional.ofNullable(OF_THREAD.get().open.peekLast());
        if (last.isEmpty()) {
            OF_THREAD.remove();
        }
        return last;
    }

    void remove(Held held) {
        open.remove(held);
        if (open.isEmpty() && Thread.currentThread() == owner) {
            OF_THREAD.remove();
        }
    }
}
