package io.holdfast.support.session;

import io.holdfast.support.store.RecordKey;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The last picture of each of the names that this client has used most recently. A picture that was forgotten costs a round trip,
 * and restarts the clock of the record for this client.
 */
final class Pictures {

    private static final int LIMIT = 10_000;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<RecordKey, Picture> pictures = new LinkedHashMap<>(16, 0.75f, true);

    Optional<Picture> of(RecordKey key) {
        mutex.lock();
        try {
            return Optional.ofNullable(pictures.get(key));
        } finally {
            mutex.unlock();
        }
    }

    /** Notes a picture, and returns it with what the one before has watched. */
    Picture note(RecordKey key, Picture picture) {
        mutex.lock();
        try {
            Picture before = pictures.get(key);
            Picture kept = before == null ? picture : picture.after(before);
            pictures.put(key, kept);
            if (pictures.size() > LIMIT) {
                Iterator<RecordKey> eldest = pictures.keySet().iterator();
                eldest.next();
                eldest.remove();
            }
            return kept;
        } finally {
            mutex.unlock();
        }
    }
}
