package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.StoreClient;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of connections that a client opens. */
class PoolSizeTest {

    @TempDir
    private Path folder;

    @Test
    void isOneForCallsOneAfterTheOther() throws Exception {
        try (Databases database = Databases.file(folder);
                StoreClient client = database.client()) {
            for (int i = 0; i < 20; i++) {
                client.granted("one" + i, 1);
                assertThat(database.sessions()).isEqualTo(1);
            }
        }
    }
}
