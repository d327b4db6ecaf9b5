package io.holdfast.recipes;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A count of votes. It completes as soon as the outcome is certain. */
final class MajorityVote {

    private final CompletableFuture<Boolean> result = new CompletableFuture<>();
    private final AtomicInteger toWin;
    private final AtomicInteger toLose;

    private MajorityVote(int votes, int needed) {
        toWin = new AtomicInteger(needed);
        toLose = new AtomicInteger(Math.max(1, votes - needed + 1));
    }

    /**
     * Returns a future that completes with true when the needed number of votes is true. It completes with false when that
     * number can no longer be reached. A vote that fails counts as false.
     */
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
