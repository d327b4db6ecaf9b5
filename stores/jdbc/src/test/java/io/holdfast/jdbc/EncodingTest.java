package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Permit;
import io.holdfast.testkit.Await;
import io.holdfast.testkit.faults.Wire;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases of PostgreSQL whose encoding lacks most characters. A session that fails for it would be replaced each time. */
@Timeout(180)
class EncodingTest {

    private static final List<String> NAMES =
            List.of("заказ", "\uD83D\uDD12", "Größe", "two\r\nlines", "trailing  ", "a\0b");

    /** A full pool of twelve and one that listens, for each of two clients. */
    private static final int FEW = 2 * (12 + 1);

    private static String database(String encoding) throws SQLException {
        String name = "encoded_" + encoding.toLowerCase(Locale.ROOT);
        try (Databases server = Databases.at(Servers.postgreSql().uri(), "")) {
            server.run("CREATE DATABASE " + name + " ENCODING '" + encoding
                    + "' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        }
        return name;
    }

    private static Holdfast connect(int port, String database) {
        return Holdfast.connect(Servers.postgreSql().uri(port).replace("/postgres?", "/" + database + "?"));
    }

    private interface Attempt {
        AutoCloseable acquire(Holdfast client) throws InterruptedException;
    }

    /** Lets the one client hold, and the other one wait. */
    private static void assertHandedOver(Holdfast holder, Holdfast waiter, Attempt attempt, BooleanSupplier waits)
            throws Exception {
        AutoCloseable held = attempt.acquire(holder);
        CompletableFuture<AutoCloseable> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return attempt.acquire(waiter);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Await.until("it waits at the store", waits);
        held.close();
        waiting.get(20, TimeUnit.SECONDS).close();
    }

    private static Lease fair(Holdfast client, String name) throws InterruptedException {
        return client.fairLock(name).acquire();
    }

    private static Permit permit(Holdfast client, String name) throws InterruptedException {
        var unused = client.semaphore(name).trySetPermits(1);
        return client.semaphore(name).acquire();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "SQL_ASCII"})
    void keepAndHandOverAnyName(String encoding) throws Exception {
        String database = database(encoding);
        try (Wire wire = new Wire(Servers.postgreSql().port());
                Holdfast holder = connect(wire.port(), database);
                Holdfast waiter = connect(wire.port(), database)) {
            for (String name : NAMES) {
                assertHandedOver(
                        holder,
                        waiter,
                        client -> fair(client, name),
                        () -> !holder.inspect(name).waiters().isEmpty());
                assertHandedOver(
                        holder,
                        waiter,
                        client -> permit(client, name),
                        () -> holder.inspectSemaphore(name).orElseThrow().waiting() > 0);
                try (Lease lease = fair(holder, name)) {
                    assertThat(lease.isValid()).isTrue();
                    assertThat(waiter.list(name)).hasSize(1);
                }
            }
            assertThat(wire.connections()).isLessThanOrEqualTo(FEW);
        }
    }
}
