package io.holdfast.jdbc.record;

import io.holdfast.support.store.RecordKey;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names for which somebody waited when this client last read or wrote their rows. Guarded statements do not apply to such a
 * name, so the client does not try one. It may be wrong: then a request needs one more round trip than necessary.
 */
final class BusyNames {

    private static final int LIMIT = 10_000;

    private final Set<RecordKey> names = ConcurrentHashMap.newKeySet();

    /** Notes whether the row of a name has a state. */
    void note(RecordKey key, boolean state) {
        if (!state) {
            names.remove(key);
        } else if (names.size() < LIMIT) {
            names.add(key);
        }
    }

    boolean contains(RecordKey key) {
        return names.contains(key);
    }
}
