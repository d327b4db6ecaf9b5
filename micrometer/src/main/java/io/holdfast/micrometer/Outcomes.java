package io.holdfast.micrometer;

import io.holdfast.LockObserver;
import java.util.Locale;

/** The values of the tags {@code kind} and {@code outcome}. */
final class Outcomes {

    static final String ACQUIRED = "acquired";
    static final String TIMED_OUT = "timed-out";
    static final String WITHDRAWN = "withdrawn";
    static final String FAILED = "failed";
    static final String RELEASED = "released";
    static final String LOST = "lost";

    private Outcomes() {}

    static String kind(LockObserver.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
