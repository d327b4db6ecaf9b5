package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.function.Consumer;

/** One or more permits of a {@link DistributedSemaphore}, held as one lease. They are renewed, lost and released together. */
public interface Permit extends Lease {

    /** Returns the id by which any caller can {@linkplain DistributedSemaphore#release release} this permit. */
    String id();

    /** Returns the number of permits that this object represents, at least 1. */
    int count();

    @Override
    @CanIgnoreReturnValue
    Permit onLost(Consumer<LeaseLostException> action);
}
