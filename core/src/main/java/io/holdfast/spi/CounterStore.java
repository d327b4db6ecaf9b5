package io.holdfast.spi;

import io.holdfast.LatchCount;
import io.holdfast.SemaphoreReport;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The counters of a store: the numbers of permits of semaphores, and the counts of latches.
 *
 * <p>The permits themselves are held as {@linkplain Share.Mode#PERMITS shares} of a name, by the operations of
 * {@link LockStore}. The rules for every operation are those of {@link LockStore}. The names of locks, of semaphores and of
 * latches are three independent kinds. An operation on a name of one kind never affects a name of another kind with the same
 * text.
 */
public interface CounterStore {

    /**
     * Changes the number of permits of a semaphore, or the count of a latch.
     *
     * <p>A second copy of a request has the same {@link Change#id}. If it arrives within a minute of the first, it changes
     * nothing and has the same reply. A client has at most one change of a name under way. So a store may remember only the
     * last change of each client. A late copy of an earlier change then fails as {@link StoreException.Effect#UNKNOWN}. Each
     * client sends its changes with rising numbers in their ids.
     *
     * <p>Added permits are assigned to waiters. If the number becomes smaller than the number of held permits, their holders
     * keep them. Released permits are then not assigned until fewer permits are held than the new number. If a latch opens, is
     * set again or is deleted, the store notifies the listening clients by {@link Signal.Changed}.
     */
    CompletionStage<Change.Reply> change(Change request);

    /** Returns the number of permits of a semaphore, their holders, and the number of waiters. */
    CompletionStage<PermitReport> permits(String name);

    /**
     * Returns the semaphores that have a number of permits and whose names begin with the prefix, in no particular order. The
     * store works in bounded steps, so that renewals are not delayed.
     */
    CompletionStage<List<SemaphoreReport>> semaphores(String prefix);

    /** Returns the latches that are set and whose names begin with the prefix, under the rules of {@link #semaphores}. */
    CompletionStage<List<LatchCount>> latches(String prefix);

    /**
     * Revokes a permit, notifies its holder by {@link Signal.Revoked}, and serves the waiters.
     *
     * @return {@code true} if the permit was held
     */
    CompletionStage<Boolean> revoke(String name, TenureId permit);

    /**
     * Returns the state of a latch and the fate of its earlier settings. The store forgets both a minute after the last setting
     * was deleted or its time to live ended.
     *
     * @param listening {@code true} to notify this client by {@link Signal.Changed} when a latch that is closed now opens, is
     *     set again, or is deleted. It is notified once, within the next minute. {@code false} ends the notification
     */
    CompletionStage<LatchReport> latch(String name, boolean listening);
}
