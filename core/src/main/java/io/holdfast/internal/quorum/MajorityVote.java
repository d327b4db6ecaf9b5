package io.holdfast.internal.quorum;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts votes until it is certain whether enough of them are for it. */
final class MajorityVote {

    private final CompletableFuture<Boolean> result = new CompletableFuture<>();
    private final AtomicInteger toWin;
    private final AtomicInteger toLose;

    private MajorityVote(int votes, int needed) {
        toWin = new AtomicInteger(needed);
        toLose = new AtomicInteger(Math.max(1, votes - needed + 1));
    }

    /** Completes as soon as so many votes are true, or can't be any more; a failed vote is against. */
    static CompletableFuture<Boolean> of(List<CompletableFuture<Boolean>> votes, int needed) {
        MajorityVote majority = new MajorityVote(votes.size(), needed);
        votes.forEach(vote -> {
            var unused = vote.whenComplete((yes, error) -> majority.count(error == null && yes));
        });
        if (votes.size() < needed) {
            majority.result.complete(false);
        }
        return majority.result;
    }

    private void count(boolean yes) {
        if ((yes ? toWin : toLose).decrementAndGet() == 0) {
            result.complete(yes);
        }
    }
}
