package io.holdfast.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The copies of a tenure's acquire that were sent and have no answer: each may still be applied, until the server's clock
 * passes its {@code notAfter}.
 */
final class Copies {

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong lateUntil = new AtomicLong();

    void sent(long notAfter) {
        lateUntil.accumulateAndGet(notAfter, Math::max);
        open.incrementAndGet();
    }

    void answered() {
        open.decrementAndGet();
    }

    boolean unanswered() {
        return open.get() > 0;
    }

    /** How many microseconds of the server's clock a copy may still come for; zero or less for never again. */
    long mayComeFor(long serverMicros) {
        return lateUntil.get() - serverMicros + 1;
    }
}
