package io.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.UUID;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;

class MemoryContractTest extends LockProviderContract {

    private static final String EXPECTED = System.getProperty("holdfast.shedlock", "");

    private final String uri = "memory:" + UUID.randomUUID();

    @Override
    String uri() {
        return uri;
    }

    /** The run with the next major version of ShedLock really has that version. */
    @Test
    void theExpectedVersionOfShedLockIsUsed() throws Exception {
        Path jar = Path.of(LockProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assertThat(jar.getFileName().toString()).contains(EXPECTED);
    }
}
