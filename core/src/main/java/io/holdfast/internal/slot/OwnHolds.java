package io.holdfast.internal.slot;

import io.holdfast.spi.Share;
import io.holdfast.spi.Share.Mode;
import java.util.Optional;
import java.util.stream.Stream;

/** The holds and requests of this client, by name. */
public interface OwnHolds {

    /** Returns the hold of the thread under the name in the given mode. */
    Optional<Hold> holdOf(String name, Mode mode, Thread thread);

    /** Returns the holds of the thread under the name, including those of leases that it acquired. */
    Stream<Hold> heldBy(String name, Thread thread);

    /**
     * Returns a hold of the thread for which the thread itself would wait if it waited for the name in this share
     * (self-deadlock).
     */
    Optional<Hold> selfBlockingHold(String name, Share requested, Thread thread);

    /** Returns {@code true} if this client requests the name now, and does not yet wait in the queue of the store. */
    boolean isRequested(String name);
}
