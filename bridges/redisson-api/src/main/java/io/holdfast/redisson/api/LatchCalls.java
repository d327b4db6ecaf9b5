package io.holdfast.redisson.api;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.DistributedLatch;
import io.holdfast.Holdfast;
import io.holdfast.LatchCount;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFuture;

/** The methods of a latch. A latch that is not set counts as open, as Redisson's interface says. */
final class LatchCalls {

    private static final String SETTING = "redisson-latch:";

    private final Holdfast client;
    private final DistributedLatch latch;
    private final Background background;

    LatchCalls(Holdfast client, DistributedLatch latch, Background background) {
        this.client = client;
        this.latch = latch;
        this.background = background;
    }

    public void await() throws InterruptedException {
        if (!isOpenOrUnset()) {
            latch.await();
        }
    }

    public boolean await(long wait, TimeUnit unit) throws InterruptedException {
        return isOpenOrUnset() || latch.await(Times.of(wait, unit));
    }

    public RFuture<Void> awaitAsync() {
        return background.compose(() -> isOpenOrUnset()
                ? CompletableFuture.completedFuture(null)
                : latch.async().await());
    }

    public RFuture<Boolean> awaitAsync(long wait, TimeUnit unit) {
        Duration limit = Times.of(wait, unit);
        return background.compose(() -> isOpenOrUnset()
                ? CompletableFuture.completedFuture(true)
                : latch.async().await(limit));
    }

    private boolean isOpenOrUnset() {
        return latch.count() == 0;
    }

    @InBackground
    public void countDown() {
        try {
            latch.countDown();
        } catch (IllegalStateException e) {
            // the latch was not set, so nothing is to be counted; if the client is closed, this call throws
            var unused = client.inspectLatch(latch.name());
        }
    }

    @InBackground
    public long getCount() {
        return latch.count();
    }

    @InBackground
    public boolean trySetCount(long count) {
        int number = number(count);
        return latch.trySetCount(number) || (isOpen() && setAgain(number));
    }

    private int number(long count) {
        if (count < 1 || count > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    this + ": count " + count + " is out of range: 1 to " + Integer.MAX_VALUE);
        }
        return (int) count;
    }

    private boolean isOpen() {
        return client.inspectLatch(latch.name()).filter(LatchCount::isOpen).isPresent();
    }

    /** Sets an open latch again. A lock ensures that only one of several callers that find it open sets it. */
    private boolean setAgain(int count) {
        boolean[] set = {false};
        client.lock(SETTING + latch.name()).run(() -> {
            set[0] = isOpen();
            if (set[0]) {
                latch.reset(count);
            }
        });
        return set[0] || latch.trySetCount(count);
    }

    public String getName() {
        return latch.name();
    }

    @InBackground
    public boolean isExists() {
        return !isOpenOrUnset();
    }

    @InBackground
    public boolean delete() {
        return latch.delete();
    }

    @Override
    public String toString() {
        return "latch " + quoted(latch.name());
    }
}
