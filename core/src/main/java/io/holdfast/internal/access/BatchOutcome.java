package io.holdfast.internal.access;

import io.holdfast.Lease;
import java.util.List;
import java.util.Optional;

/** The result of requesting several members by one request. */
public sealed interface BatchOutcome {

    /**
     * The result that all members are held.
     *
     * @param leases the leases of the members, in their order; empty if the current thread holds the members
     */
    record Got(List<Lease> leases) implements BatchOutcome {}

    /**
     * The result that no member is held, because another owner holds one of them, and perhaps more.
     *
     * @param index the index of the first member that was found held, among the requested ones
     * @param holder its holder, in the form in which the store keeps it; empty if the store did not report one
     */
    record Held(int index, Optional<String> holder) implements BatchOutcome {}

    /** Returns the result of trying a single member: its leases, or a refusal if there are none. */
    static BatchOutcome alone(Optional<List<Lease>> got) {
        return got.<BatchOutcome>map(Got::new).orElseGet(() -> new Held(0, Optional.of("another owner")));
    }

    /** The result that no member is held, and that each has to be requested alone to learn why. */
    record Unclear() implements BatchOutcome {}
}
