package io.holdfast.internal.access;

import io.holdfast.Lease;
import java.util.List;
import java.util.Optional;

/** What came of asking for several members by one request. */
public sealed interface BatchOutcome {

    /**
     * All are held.
     *
     * @param leases one for each, in their order; none if a thread has them
     */
    record Got(List<Lease> leases) implements BatchOutcome {}

    /**
     * None is, as others have this one, and perhaps more.
     *
     * @param index of the first among those that were asked for
     * @param holder who holds it, as the store keeps it, if it said so
     */
    record Held(int index, Optional<String> holder) implements BatchOutcome {}

    /** What came of a try of one member: its leases, or nothing if it was refused. */
    static BatchOutcome alone(Optional<List<Lease>> got) {
        return got.<BatchOutcome>map(Got::new).orElseGet(() -> new Held(0, Optional.of("another owner")));
    }

    /** None is; each has to be asked for alone to learn why. */
    record Unclear() implements BatchOutcome {}
}
