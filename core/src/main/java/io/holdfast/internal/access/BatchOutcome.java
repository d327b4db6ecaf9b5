package io.holdfast.internal.access;

import io.holdfast.Lease;
import java.util.List;
import java.util.Optional;

/** The result of a request for one or several members. */
public sealed interface BatchOutcome {

    /**
     * The result that all members are held.
     *
     * @param leases the leases of the members, in their order; empty if the current thread holds the members
     */
    record Acquired(List<Lease> leases) implements BatchOutcome {}

    /**
     * The result that no member is held, because another owner holds at least one of them.
     *
     * @param index the index of the first requested member that another owner holds
     * @param holder its holder, in the form in which the store keeps it; empty if the store did not report one
     */
    record Held(int index, Optional<String> holder) implements BatchOutcome {}

    /** Returns the result for a single member: its leases, or a refusal if there are none. */
    static BatchOutcome ofSingle(Optional<List<Lease>> leases) {
        return leases.<BatchOutcome>map(Acquired::new).orElseGet(() -> new Held(0, Optional.of("another owner")));
    }

    /** The result that no member is held for an unknown reason. A separate request for each member reports the reason. */
    record Unclear() implements BatchOutcome {}
}
