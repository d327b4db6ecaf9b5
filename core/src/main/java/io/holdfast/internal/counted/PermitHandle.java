package io.holdfast.internal.counted;

import io.holdfast.LeaseLostException;
import io.holdfast.Permit;
import io.holdfast.internal.lock.ClientParts;
import io.holdfast.internal.lock.LeaseHandle;
import io.holdfast.internal.slot.Outcome;
import java.util.function.Consumer;

/** The permit object of the user: a lease whose tenure has no other owner. */
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

    /** Returns the number of permits. If the permits were assigned by a message, it is the requested number. */
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
