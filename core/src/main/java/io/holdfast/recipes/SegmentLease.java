package io.holdfast.recipes;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import java.util.function.Consumer;

/** A hold of one segment of a {@link SegmentedLock}. */
public interface SegmentLease extends Lease {

    /**
     * Returns the number of the held segment, from 0 on. {@link #name} and {@link #fencingToken} are those of the segment's lock.
     */
    int segment();

    @Override
    @CanIgnoreReturnValue
    SegmentLease onLost(Consumer<LeaseLostException> action);
}
