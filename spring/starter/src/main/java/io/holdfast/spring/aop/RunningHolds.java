package io.holdfast.spring.aop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The holds of the annotated methods that the calling thread runs. A transaction that begins in such a method checks them before
 * its commit, because a change that was made without the lock must not be committed.
 */
public final class RunningHolds {

    private final ThreadLocal<Deque<Held>> ofThread = ThreadLocal.withInitial(ArrayDeque::new);

    /** The rest of a call. */
    interface Body {

        @Nullable
        Object run() throws Throwable;
    }

    /** Runs a body that needs the hold. */
    @Nullable
    Object during(Held held, Body body) throws Throwable {
        Deque<Held> all = ofThread.get();
        all.push(held);
        try {
            return body.run();
        } finally {
            all.pop();
            if (all.isEmpty()) {
                ofThread.remove();
            }
        }
    }

    /** Returns the holds of the calling thread. */
    List<Held> all() {
        return List.copyOf(ofThread.get());
    }
}
