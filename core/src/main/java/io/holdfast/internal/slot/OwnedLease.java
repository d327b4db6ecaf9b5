package io.holdfast.internal.slot;

import java.util.List;

/** A lease as its hold knows it. */
public interface OwnedLease {

    /** The actions for its loss. */
    List<LossAction> lossActions();
}
