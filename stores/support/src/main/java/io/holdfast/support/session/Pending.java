package io.holdfast.support.session;

import io.holdfast.spi.StoreException;
import io.holdfast.support.record.Decision;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.Moment;
import io.holdfast.support.record.Notice;
import io.holdfast.support.store.RecordUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An update that waits for its turn, or whose decision is being written. It is decided again if another client was faster. */
final class Pending<R> {

    final CompletableFuture<R> result = new CompletableFuture<>();
    private final RecordUpdate<R> update;
    private final long start;
    private @Nullable R reply;
    private @Nullable StoreException refusal;

    /**
     * Creates an update.
     *
     * @param start the {@code nanoTime} of the call
     */
    Pending(RecordUpdate<R> update, long start) {
        this.update = update;
        this.start = start;
    }

    /** Returns the nanoseconds since the call. */
    long waited(long now) {
        return now - start;
    }

    /** Returns {@code true} if the update can wait for the updates of other clients. */
    boolean yields() {
        return update.yields();
    }

    /** Decides the update, and returns the record after it. A refused one leaves the record unchanged. */
    LockRecord decide(LockRecord before, Moment moment, List<Notice> notices) {
        reply = null;
        refusal = null;
        try {
            Decision<R> decision = update.decide(before, moment);
            reply = decision.reply();
            notices.addAll(decision.notices());
            return decision.record();
        } catch (StoreException e) {
            refusal = e;
            return before;
        }
    }

    /**
     * Completes the update if it can be answered without a write.
     *
     * @return {@code true} if it was completed
     */
    boolean completeUnwritten(LockRecord before, Moment moment) {
        var unused = decide(before, moment, new ArrayList<>());
        Optional<R> answer = reply == null ? Optional.empty() : update.unwritten(before, reply);
        answer.ifPresent(result::complete);
        return answer.isPresent();
    }

    /**
     * Completes with what was decided last.
     *
     * @param failure the failure of the round; null if there was none
     */
    void complete(@Nullable Throwable failure) {
        Throwable cause = refusal == null ? failure : refusal;
        if (cause == null) {
            result.complete(reply);
        } else {
            result.completeExceptionally(cause);
        }
    }
}
