package io.holdfast.etcd.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("everywhere")
class EpochTest {

    private final Deque<CompletableFuture<Long>> writes = new ArrayDeque<>();
    private final Epoch epoch = new Epoch(10, this::write);

    private CompletionStage<Long> write() {
        CompletableFuture<Long> write = new CompletableFuture<>();
        writes.add(write);
        return write;
    }

    private CompletableFuture<Long> present() {
        return epoch.present().toCompletableFuture();
    }

    @Test
    void anEpochLastsWhileEveryRequestIsAnswered() {
        assertThat(present()).isCompletedWithValue(10L);
        assertThat(writes).isEmpty();
    }

    @Test
    void aMissingAnswerEndsTheEpochBeforeTheNextRequest() {
        epoch.doubt(10);
        CompletableFuture<Long> next = present();
        assertThat(next).isNotDone();
        writes.remove().complete(15L);
        assertThat(next).isCompletedWithValue(15L);
        assertThat(present()).isCompletedWithValue(15L);
    }

    @Test
    void oneWriteEndsItForAllThatWait() {
        epoch.doubt(10);
        CompletableFuture<Long> one = present();
        CompletableFuture<Long> other = present();
        assertThat(writes).hasSize(1);
        writes.remove().complete(15L);
        assertThat(one).isCompletedWithValue(15L);
        assertThat(other).isCompletedWithValue(15L);
    }

    @Test
    void anEpochStaysInDoubtIfTheWriteFails() {
        epoch.doubt(10);
        CompletableFuture<Long> failed = present();
        writes.remove().completeExceptionally(new IllegalStateException("no answer"));
        assertThat(failed).isCompletedExceptionally();
        CompletableFuture<Long> next = present();
        writes.remove().complete(20L);
        assertThat(next).isCompletedWithValue(20L);
    }

    /** No copy of it is applied any more. */
    @Test
    void aMissingAnswerOfAnEarlierEpochChangesNothing() {
        epoch.doubt(10);
        var unused = present();
        writes.remove().complete(15L);
        epoch.doubt(10);
        assertThat(present()).isCompletedWithValue(15L);
    }

    /** A copy of the write that has ended the epoch before, for example. */
    @Test
    void aLaterWriteOfTheKeyEndsTheEpoch() {
        epoch.doubt(10);
        epoch.seen(12);
        assertThat(present()).isCompletedWithValue(12L);
        epoch.seen(11);
        assertThat(present()).isCompletedWithValue(12L);
    }

    /** A request that was sent in the epoch which it had begun got no answer meanwhile. */
    @Test
    void aLateAnswerToTheEndOfAnEpochLeavesTheNextOneInDoubt() {
        epoch.doubt(10);
        var unused = present();
        epoch.seen(15);
        epoch.doubt(15);
        writes.remove().complete(15L);
        assertThat(present()).isNotDone();
        writes.remove().complete(16L);
        assertThat(present()).isCompletedWithValue(16L);
    }

    @Test
    void aNumberThatWasSeenBeforeEndsNoDoubt() {
        epoch.doubt(10);
        epoch.seen(10);
        assertThat(present()).isNotDone();
    }
}
