package io.holdfast.internal.counted;

import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.internal.lock.ClientParts;
import io.holdfast.internal.lock.LeaseHandle;
import io.holdfast.internal.slot.Outcome;
import java.util.function.Consumer;

/** The permit object of the user: the lease of a tenure that is shared with nobody. */
final class PermitHandle extends LeaseHandle implements Permit {

    PermitHandle(ClientParts client, String name) {
        super(client, name);
    }

    @Override
    public PermitHandle bind(Outcome outcome) {
        super.bind(outcome);
        return this;
    }

    @Override
    public String id() {
        return hold().tenure.id.toString();
    }

    /** Returns the number of permits. An assignment by message does not contain it; then the requested number was granted. */
    @Override
    public int count() {
        return Math.max(hold().tenure.permits, hold().tenure.share.permits());
    }

    @Override
    protected String noun() {
        return "permit";
    }

    @Override
    public Permit onLost(Consumer<LeaseLostException> action) {
        super.onLost(action);
        return this;
    }
}
