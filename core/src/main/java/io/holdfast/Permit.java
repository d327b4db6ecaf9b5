package io.holdfast;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.function.Consumer;

/** Some permits of a {@link DistributedSemaphore}, held as one: they are renewed, lost and given back together. */
public interface Permit extends Lease {

    /** By which anybody can {@linkplain DistributedSemaphore#release give it back}. */
    String id();

    /** How many permits it stands for; at least one. */
    int count();

    @Override
    @CanIgnoreReturnValue
    Permit onLost(Consumer<LeaseLostException> action);
}
