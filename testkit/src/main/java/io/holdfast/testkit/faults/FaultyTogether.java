package io.holdfast.testkit.faults;

import io.holdfast.spi.Acquire;
import io.holdfast.spi.TogetherStore;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The batch operations of a store, over a connection with faults. */
record FaultyTogether(FaultyStore connection, TogetherStore store) implements TogetherStore {

    @Override
    public boolean together(String name, String other) {
        return store.together(name, other);
    }

    @Override
    public CompletionStage<List<Acquire.Reply>> acquire(List<Acquire> all) {
        return connection.call(Operation.ACQUIRE, all, () -> store.acquire(all), FaultyStore::unknown);
    }
}
