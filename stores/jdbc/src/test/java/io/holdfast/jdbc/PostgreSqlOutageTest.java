package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients whose connections the administrator of PostgreSQL ends. */
@Timeout(180)
class PostgreSqlOutageTest {

    private static final String OURS = "FROM pg_stat_activity WHERE application_name = 'holdfast'";

    private final Databases database = Servers.postgreSql().database();
    private final Holdfast holder = Holdfast.connect(database.url());
    private final Holdfast waiter = Holdfast.connect(database.url());

    @AfterEach
    void close() throws Exception {
        waiter.close();
        holder.close();
        database.close();
    }

    private CompletableFuture<Long> waiting(String name) {
        CompletableFuture<Long> token = CompletableFuture.supplyAsync(() -> {
            waiter.lock(name).lock();
            return waiter.lock(name).fencingToken();
        });
        Await.until(
                "a waiter",
                () -> !database.column(
                                "SELECT 1 FROM holdfast_locks WHERE waiters > 0 AND name = 'L" + name + "'::bytea")
                        .isEmpty());
        return token;
    }

    @Test
    void aHandOverOutlivesAllConnections() throws Exception {
        Lease lease = holder.lock("ended").acquire();
        CompletableFuture<Long> token = waiting("ended");

        List<Object> ended = database.column("SELECT pg_terminate_backend(pid) " + OURS);
        assertThat(ended).hasSizeGreaterThanOrEqualTo(4).containsOnly(true);
        lease.close();

        assertThat(token.get(20, TimeUnit.SECONDS)).isGreaterThan(lease.fencingToken());
    }

    @Test
    void aWaiterIsNotifiedAgainAfterItsConnectionWasMadeAnew() throws Exception {
        holder.lock("first").acquire().close();
        database.column("SELECT pg_terminate_backend(pid) " + OURS);
        Await.until(
                "both listen again",
                () -> database.column("SELECT pid " + OURS + " AND query LIKE 'LISTEN%'")
                                .size()
                        == 2);
        Lease lease = holder.lock("second").acquire();
        CompletableFuture<Long> token = waiting("second");
        lease.close();
        assertThat(token.get(20, TimeUnit.SECONDS)).isGreaterThan(lease.fencingToken());
    }

    /** As after a failover, when the address leads to a replica. */
    @Test
    void aReadOnlyServerIsReportedAndLosesNothing() throws Exception {
        Lease lease = holder.lock("kept").acquire();
        database.run("SET default_transaction_read_only = off");
        database.run("ALTER SYSTEM SET default_transaction_read_only = on");
        try {
            database.column("SELECT pg_reload_conf()");
            Await.until("the server is read-only", this::isReadOnly);
            assertThatThrownBy(() -> waiter.lock("another").tryLock())
                    .isInstanceOf(HoldfastException.class)
                    .hasMessageContaining("it is read-only, as a replica is; connect to the primary");
            assertThatThrownBy(() -> Holdfast.connect(database.url()).close())
                    .hasMessageContaining("it is read-only, as a replica is; connect to the primary");
            assertThat(lease.isValid()).isTrue();
        } finally {
            database.run("ALTER SYSTEM RESET default_transaction_read_only");
            database.column("SELECT pg_reload_conf()");
        }
        Await.until("the server can be written", () -> !isReadOnly());
        assertThat(waiter.lock("kept").tryLock()).isFalse();
        lease.close();
        assertThat(waiter.lock("kept").tryLock()).isTrue();
        waiter.lock("kept").unlock();
    }

    private boolean isReadOnly() {
        try (Databases other = database.again()) {
            return other.column("SHOW default_transaction_read_only").contains("on");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
