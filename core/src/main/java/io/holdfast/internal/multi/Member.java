package io.holdfast.internal.multi;

import io.holdfast.DistributedLock;
import io.holdfast.spi.Platform;

/** What a lock says about itself, beside its API, so that it can be put in order with others. */
public interface Member {

    /** Where it is kept. */
    Place place();

    /** The time of its client. */
    Platform platform();

    /** The same lock as a member, or throws. */
    static Member of(DistributedLock lock) {
        if (lock instanceof Member member) {
            return member;
        }
        throw new IllegalArgumentException(
                "lock '" + lock.name() + "' is a " + lock.getClass().getName()
                        + ", whose store is not known: a multi-lock takes locks as a Holdfast client gives them");
    }
}
