package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Platform;
import io.holdfast.testkit.StoreClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rows of unused names go, and no others. */
class SweepTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Databases database = Databases.memory();
    private final AtomicLong elapsed = new AtomicLong();

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    /** Real, but for the time, which a test lets pass. */
    private Platform platform() {
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (self, method, arguments) -> method.getName().equals("nanoTime")
                        ? (Object) elapsed.get()
                        : method.invoke(Platform.system(), arguments));
    }

    private StoreClient client(String setting) {
        return new StoreClient(
                new JdbcStoreProvider(), database.url() + setting, config -> config.withPlatform(platform()));
    }

    private void pass(Duration time) {
        elapsed.addAndGet(time.toNanos());
    }

    private void age(String name, Duration age) {
        database.run("UPDATE holdfast_locks SET used_at = used_at - " + age.toNanos() / 1_000 + " WHERE name = '" + name
                + "'");
    }

    /** Each release looks whether it is time for a sweep. */
    private static void release(StoreClient client) {
        client.granted("other", 99);
        client.release("other", 99);
    }

    private List<Object> names() {
        return database.column("SELECT name FROM holdfast_locks WHERE name <> 'other' ORDER BY name");
    }

    @ParameterizedTest
    @CsvSource({"'', 168", ";SWEEP_AFTER=1h, 1", ";sweep_after=36h, 36", ";SWEEP_AFTER=30d, 720"})
    void namesThatAreUnusedForLongAreSwept(String setting, long hours) {
        try (StoreClient client = client(setting)) {
            for (String name : List.of("old", "young", "held")) {
                client.granted(name, 1);
            }
            client.release("old", 1);
            client.release("young", 1);
            age("old", HOUR.multipliedBy(hours).plusMinutes(1));
            age("held", HOUR.multipliedBy(hours).plusMinutes(1));
            age("young", HOUR.multipliedBy(hours).minusMinutes(1));
            release(client);
            assertThat(names()).as("before an hour is over").containsExactly("held", "old", "young");
            pass(HOUR);
            release(client);
            assertThat(names()).containsExactly("held", "young");
        }
    }

    @Test
    void whatOneSweepLeavesIsSweptASecondLater() {
        try (StoreClient client = client("")) {
            release(client);
            database.run("INSERT INTO holdfast_locks (name_utf8, expires_at, first_unit, last_unit, floor_unit,"
                    + " used_at) SELECT CAST(CAST(x AS VARCHAR) AS VARBINARY), 0, 0, 0, 0, 0 FROM SYSTEM_RANGE(1, "
                    + (Sweep.ROWS + 5) + ")");
            pass(HOUR);
            release(client);
            assertThat(names()).hasSize(5);
            release(client);
            assertThat(names()).as("at once").hasSize(5);
            pass(Duration.ofSeconds(1));
            release(client);
            assertThat(names()).isEmpty();
        }
    }
}
