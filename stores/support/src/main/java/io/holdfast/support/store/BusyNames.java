package io.holdfast.support.store;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names for which somebody waited when this client last read or wrote their rows. Guarded statements do not apply to such a
 * name, so the client does not try one. It may be wrong: then a request needs one more round trip than necessary.
 */
public final class BusyNames {

    private static final int LIMIT = 10_000;

    private final Set<RecordKey> names = ConcurrentHashMap.newKeySet();

    /** Creates an empty set. */
    public BusyNames() {}

    /** Notes whether the row of a name has a state. */
    public void note(RecordKey key, boolean state) {
        if (!state) {
            names.remove(key);
        } else if (names.size() < LIMIT) {
            names.add(key);
        }
    }

    /** Returns {@code true} if somebody was seen to wait for a name. */
    public boolean contains(RecordKey key) {
        return names.contains(key);
    }
}
