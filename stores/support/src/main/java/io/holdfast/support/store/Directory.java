package io.holdfast.support.store;

import io.holdfast.LockReport;
import io.holdfast.spi.StoreConfig.HoldDescription;
import io.holdfast.spi.TenureId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The clients of a store, and what they tell about themselves. */
public interface Directory {

    /** Returns the identities of the clients with the given ids. A client that is not known is left out. */
    CompletionStage<Map<String, LockReport.Client>> clients(Set<String> ids);

    /**
     * Asks the client of a holder for the details of its hold. The result is empty if the client does not answer within 200 ms,
     * or has another tenure by then.
     */
    CompletionStage<Optional<HoldDescription>> describe(RecordKey key, TenureId holder);
}
