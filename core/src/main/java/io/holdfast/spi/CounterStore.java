package io.holdfast.spi;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What a store counts, beside what it lets be held: the permits of semaphores, and latches. The permits themselves are held
 * as {@linkplain Share.Mode#PERMITS shares} of a name, by the operations of {@link LockStore}.
 *
 * <p>The rules for every operation are those of {@link LockStore}. The names of locks, of semaphores and of latches are
 * three kinds: what is done to one never touches one of another kind with the same text.
 */
public interface CounterStore {

    /**
     * Changes the permits that a semaphore has in all, or a latch.
     *
     * <p>A second copy of a request, which has the same {@link Change#id}, changes nothing and has the reply of the first,
     * if it comes within a minute of it.
     *
     * <p>More permits are for those who wait for them. Fewer than are held take nothing away: what is given back is then
     * not given to others until enough of them are back. A latch that opens, is set anew or is forgotten is told by
     * {@link Signal.Changed} to those clients that listen.
     */
    CompletionStage<Change.Reply> change(Change request);

    /** What a semaphore has, and who has what of it. */
    CompletionStage<PermitReport> permits(String name);

    /**
     * The semaphores that were given permits and whose names begin with the prefix, in no order; bounded work at a time, so that
     * renewals are not held up.
     */
    CompletionStage<List<SemaphoreReport>> semaphores(String prefix);

    /** The same of the latches that are set. */
    CompletionStage<List<LatchCount>> latches(String prefix);

    /**
     * Takes a permit away whoever holds it, tells the holder by {@link Signal.Revoked}, and serves those who wait.
     *
     * @return whether it was held
     */
    CompletionStage<Boolean> revoke(String name, TenureId permit);

    /**
     * What is known of a latch, and what became of its earlier settings. The store forgets both a minute after the last setting
     * was deleted or its life was over.
     *
     * @param listening whether to tell this client by {@link Signal.Changed}, once and within the next minute, when a latch that
     *     is closed now opens, is set anew, or is forgotten; if not, it is told no more
     */
    CompletionStage<LatchReport> latch(String name, boolean listening);
}
