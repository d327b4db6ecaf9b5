package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.Capabilities;
import io.holdfast.spi.ForwardingStore;
import io.holdfast.spi.LockStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client that cannot be started after its store was opened closes the store. */
class FailedStartTest extends VirtualTime {

    private final List<String> closed = new ArrayList<>();

    /** Fails when it is asked for its capabilities. */
    private LockStore failing(LockStore store) {
        return new ForwardingStore(store) {
            @Override
            public Capabilities capabilities() {
                throw new IllegalStateException("no capabilities");
            }

            @Override
            public void close() {
                super.close();
                closed.add("store");
            }
        };
    }

    @Test
    void closesTheStore() {
        assertThatThrownBy(() ->
                        client("c", options -> options.provider(provider(config -> failing(server.open(config))))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no capabilities");
        assertThat(closed).containsExactly("store");
    }
}
