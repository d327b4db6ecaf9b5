package io.holdfast.internal.slot;

import java.util.List;

/** A lease in the view of its hold. */
public interface OwnedLease {

    /** Returns the actions to run when the lease is lost. */
    List<LossAction> lossActions();

    /** Notifies the lease that the close of its client has released it. */
    void clientClosed();

    /** Returns {@code true} if the lease has reached its owner. */
    boolean isDelivered();
}
