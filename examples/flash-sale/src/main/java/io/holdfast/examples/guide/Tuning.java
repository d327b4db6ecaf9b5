package io.holdfast.examples.guide;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.OnMaxHold;
import io.holdfast.recipes.MultiLease;
import io.holdfast.recipes.MultiLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** The code of docs/tuning.md. */
final class Tuning {

    private final List<Long> transfers = new ArrayList<>();
    final List<String> archived = new ArrayList<>();

    Holdfast client(String uri, Consumer<LockEvent> pager) {
        // region tuning-client
        Holdfast holdfast = Holdfast.builder()
                .uri(uri)
                .name("billing-7")
                .lease(Duration.ofSeconds(10))
                .commandTimeout(Duration.ofSeconds(1))
                .maxHold(Duration.ofMinutes(5))
                .listener(event -> {
                    if (event instanceof LockEvent.Lost || event instanceof LockEvent.HeldTooLong) {
                        pager.accept(event);
                    }
                })
                .build();
        // endregion
        return holdfast;
    }

    DistributedLock lock(Holdfast holdfast) {
        // region tuning-lock
        LockOptions monthly = LockOptions.defaults()
                .withLease(Duration.ofMinutes(2))
                .withMaxHold(Duration.ofHours(1), OnMaxHold.STOP_RENEWING);
        DistributedLock lock = holdfast.lock("reports/monthly", monthly);
        // endregion
        return lock;
    }

    void several(Holdfast holdfast) throws InterruptedException {
        // region tuning-several
        DistributedLock from = holdfast.lock("accounts/1");
        DistributedLock to = holdfast.lock("accounts/2");
        MultiLock both = MultiLock.of(from, to);
        try (MultiLease lease = both.acquire(Duration.ofSeconds(5))) {
            transfer(lease.fencingToken(from), lease.fencingToken(to));
        }
        // endregion
    }

    private void transfer(long debit, long credit) {
        transfers.addAll(List.of(debit, credit));
    }

    List<Long> transfers() {
        return transfers;
    }

    String run(DistributedLock lock, Callable<String> query) throws Exception {
        // region tuning-run
        String text = lock.call(query); // waits for as long as it takes
        boolean ran = lock.tryRun(Duration.ofSeconds(5), () -> archive(text)); // false: not acquired, so not run
        // endregion
        return ran ? text : "";
    }

    boolean nightly(Holdfast holdfast, Runnable job) {
        // region tuning-once
        // started by cron on every node, every ten minutes
        boolean mine = holdfast.lock("jobs/report").runOnce(Duration.ofMinutes(9), job);
        // endregion
        return mine;
    }

    private void archive(String text) {
        archived.add(text);
    }
}
