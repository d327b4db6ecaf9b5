package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database in a file that somebody shuts down. */
class ClosedDatabaseTest {

    @Test
    void isOpenedAgainAndHasKeptWhatWasHeld(@TempDir Path folder) throws Exception {
        try (Databases file = Databases.file(folder);
                Holdfast holder = Holdfast.connect(file.url());
                Holdfast other = Holdfast.connect(file.url());
                Lease lease = holder.lock("lock").acquire()) {
            DistributedLock lock = other.lock("lock");
            assertThat(lock.tryLock()).isFalse();
            file.run("SHUTDOWN");
            List<StoreUnavailableException> failures = new ArrayList<>();
            Await.until("it is open again", () -> answers(lock, failures));
            assertThat(failures)
                    .allSatisfy(failure ->
                            assertThat(failure).hasMessageContainingAll("lock 'lock'", "H2 at jdbc:h2:" + folder));
            assertThat(lock.isLocked()).isTrue();
            assertThat(lock.tryLock()).isFalse();
            assertThat(lease.isValid()).isTrue();
        }
    }

    private static boolean answers(DistributedLock lock, List<StoreUnavailableException> failures) {
        try {
            return !lock.tryLock();
        } catch (StoreUnavailableException e) {
            failures.add(e);
            return false;
        }
    }
}
