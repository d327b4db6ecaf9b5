package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.record.Sweep;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TenureId;
import io.holdfast.support.record.Changes;
import io.holdfast.support.record.LockRecord;
import io.holdfast.support.record.RecordText;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.StoreClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
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
    private final List<Runnable> held = new ArrayList<>();
    private boolean holdsSweeps;

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    /** Real, but for the time, which a test lets pass, and for the thread of the sweep, if a test holds it. */
    private Platform platform() {
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "nanoTime" -> elapsed.get();
                    case "worker" -> worker((Platform.Worker) method.invoke(Platform.system(), arguments), arguments);
                    default -> method.invoke(Platform.system(), arguments);
                });
    }

    private Platform.Worker worker(Platform.Worker real, Object[] arguments) {
        boolean sweeps = ((String) arguments[0]).endsWith("-sweep");
        return new Platform.Worker() {
            @Override
            public void execute(Runnable task) {
                if (sweeps && holdsSweeps) {
                    held.add(task);
                } else {
                    real.execute(task);
                }
            }

            @Override
            public void close() {
                real.close();
            }
        };
    }

    private StoreClient client(String setting) {
        return new StoreClient(
                new JdbcStoreProvider(), database.url() + setting, config -> config.withPlatform(platform()));
    }

    private void pass(Duration time) {
        elapsed.addAndGet(time.toNanos());
    }

    private void age(String name, Duration age) {
        long micros = age.toNanos() / 1_000;
        database.run("UPDATE holdfast_locks SET last_unit = last_unit - " + micros + ", used_at = used_at - " + micros
                + " WHERE name = STRINGTOUTF8('L" + name + "')");
    }

    /** Each release looks whether it is time for a sweep. */
    private static void release(StoreClient client) {
        client.granted("other", 99);
        client.release("other", 99);
    }

    private List<Object> names() {
        return database.column("SELECT SUBSTRING(UTF8TOSTRING(name) FROM 2) FROM holdfast_locks"
                + " WHERE name <> STRINGTOUTF8('Lother') ORDER BY name");
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
            Await.until("the old one is swept", () -> !names().contains("old"));
            assertThat(names()).containsExactly("held", "young");
        }
    }

    /** As after a floor from a server whose clock is ahead. */
    @Test
    void tokensAheadOfTheClockAreKept() {
        try (StoreClient client = client(";SWEEP_AFTER=1h")) {
            for (String name : List.of("ahead", "old")) {
                client.granted(name, 1);
                client.release(name, 1);
                age(name, HOUR.multipliedBy(2));
            }
            database.run("UPDATE holdfast_locks SET last_unit = last_unit + "
                    + HOUR.multipliedBy(9).toNanos() / 1_000 + " WHERE name = STRINGTOUTF8('Lahead')");
            pass(HOUR);
            release(client);
            Await.until("the old one is swept", () -> !names().contains("old"));
            assertThat(names()).containsExactly("ahead");
        }
    }

    @Test
    void whatNobodyUsesAnyMoreIsSweptWithItsText() {
        try (StoreClient client = client("")) {
            client.granted("read", 1);
            client.release("read", 1);
            String text = RecordText.encode(
                    "read",
                    LockRecord.EMPTY,
                    LockRecord.EMPTY.with(new Changes(List.of(new Changes.Decided(new TenureId("a", 1), true, 1)))));
            database.run("UPDATE holdfast_locks SET last_unit = 1, state = '" + text + "'");
            age("read", HOUR.multipliedBy(24 * 8));
            pass(HOUR);
            release(client);
            Await.until("it is swept", () -> names().isEmpty());
        }
    }

    @Test
    void aReleaseDoesNotWaitForASweep() {
        holdsSweeps = true;
        try (StoreClient client = client("")) {
            client.granted("old", 1);
            client.release("old", 1);
            age("old", HOUR.multipliedBy(169));
            pass(HOUR);
            release(client);
            assertThat(names()).containsExactly("old");
            held.forEach(Runnable::run);
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void aRowThatSomebodyKeepsIsSweptLater() throws Exception {
        try (StoreClient client = client("")) {
            client.granted("old", 1);
            client.release("old", 1);
            age("old", HOUR.multipliedBy(169));
            client.granted("other", 99);
            database.connection.setAutoCommit(false);
            database.run("SELECT * FROM holdfast_locks WHERE name = STRINGTOUTF8('Lold') FOR UPDATE");
            pass(HOUR);
            client.release("other", 99);
            database.connection.commit();
            database.connection.setAutoCommit(true);
            Await.until("it is swept", () -> {
                pass(Duration.ofSeconds(1));
                release(client);
                return names().isEmpty();
            });
        }
    }

    @Test
    void aReleaseThatComesAfterTheCloseStartsNoSweep() {
        StoreClient client = client("");
        client.granted("n", 1);
        pass(HOUR);
        client.close();
        assertThatThrownBy(() -> client.release("n", 1)).isInstanceOf(StoreException.class);
    }

    @Test
    void whatOneSweepLeavesIsSweptASecondLater() {
        try (StoreClient client = client("")) {
            release(client);
            database.run("INSERT INTO holdfast_locks (name, expires_at, last_unit, floor_unit, version,"
                    + " used_at) SELECT STRINGTOUTF8('L' || x), 0, 0, 0, 0, 0 FROM SYSTEM_RANGE(1, "
                    + (Sweep.ROWS + 5) + ")");
            pass(HOUR);
            release(client);
            Await.until("most are swept", () -> names().size() == 5);
            release(client);
            assertThat(names()).as("at once").hasSize(5);
            Await.until("the rest is swept seconds later", () -> {
                pass(Duration.ofSeconds(1));
                release(client);
                return names().isEmpty();
            });
            assertThat(elapsed)
                    .as("time that has passed")
                    .hasValueLessThan(HOUR.multipliedBy(2).toNanos());
        }
    }

    /** A statement that read on until it found enough unused rows would take too long in a big table, and find none of them. */
    @Test
    void aSweepReadsOnePageEvenIfAllOfItIsInUse() {
        holdsSweeps = true;
        try (StoreClient client = client("")) {
            client.granted("z", 1);
            client.release("z", 1);
            age("z", HOUR.multipliedBy(169));
            database.run("INSERT INTO holdfast_locks (name, expires_at, last_unit, floor_unit, version,"
                    + " used_at) SELECT STRINGTOUTF8('L' || x), 0, 0, 0, 0, " + Long.MAX_VALUE
                    + " FROM SYSTEM_RANGE(1, " + Sweep.ROWS + ")");
            pass(HOUR);
            release(client);
            held.get(0).run();
            assertThat(names()).as("behind the first page").contains("z");
            pass(Duration.ofSeconds(1));
            release(client);
            held.get(1).run();
            assertThat(names()).hasSize(Sweep.ROWS).doesNotContain("z");
        }
    }

    @Test
    void clientsAreForgottenEvenIfTheNamesCannotBeRead() {
        holdsSweeps = true;
        try (StoreClient client = client("")) {
            release(client);
            database.run("INSERT INTO holdfast_clients (id, identity, seen_at) VALUES ('dead', '', 0)");
            pass(HOUR);
            release(client);
            database.run("ALTER TABLE holdfast_locks ALTER COLUMN used_at RENAME TO other");
            held.get(0).run();
            assertThat(database.column("SELECT id FROM holdfast_clients")).doesNotContain("dead");
            database.run("ALTER TABLE holdfast_locks ALTER COLUMN other RENAME TO used_at");
        }
    }
}
