package io.holdfast.benchmarks.meter;

import io.holdfast.Holdfast;
import java.util.stream.IntStream;

/** The locks of Holdfast at a server, as another client sees them. */
final class Locks {

    private Locks() {}

    /** Returns how many of the locks are held. */
    static long held(String uri, String prefix, int count) {
        try (Holdfast client = Holdfast.connect(uri)) {
            return IntStream.range(0, count)
                    .filter(i -> client.lock(prefix + i).isLocked())
                    .count();
        }
    }
}
