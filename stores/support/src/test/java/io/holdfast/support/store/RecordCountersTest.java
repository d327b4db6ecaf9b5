package io.holdfast.support.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Change;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Decider;
import io.holdfast.support.record.Limits;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which requests for counters yield to other writers of the same record. */
class RecordCountersTest {

    private static final TenureId TENURE = new TenureId("client", 1);

    private final List<RecordUpdate<?>> updates = new ArrayList<>();
    private final RecordKeys keys = new RecordKeys("");
    private final RecordCounters counters = new RecordCounters(
            "client",
            keys,
            new Decider(Limits.STANDARD),
            unanswered(Records.class),
            new RecordReports(keys, unanswered(Directory.class)));

    /** Notes the updates, and never answers. */
    private <T> T unanswered(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("update")) {
                        updates.add((RecordUpdate<?>) arguments[1]);
                    }
                    return new CompletableFuture<>();
                }));
    }

    @Test
    void thoseWhoWaitForALatchYieldLikeThoseWhoCountDown() {
        var unusedReport = counters.latch("latch", true);
        var unusedReply = counters.change(
                new Change(Change.Kind.COUNT_DOWN, "latch", TENURE, 1, Optional.empty(), Long.MAX_VALUE));
        assertThat(updates).hasSize(2).allMatch(RecordUpdate::yields);
    }

    @Test
    void theOneWhoRevokesAPermitDoesNotYield() {
        var unused = counters.revoke("semaphore", TENURE);
        assertThat(updates).hasSize(1).noneMatch(RecordUpdate::yields);
    }
}
