package io.holdfast.jdbc;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.testkit.Await;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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

    /** Returns the process ids of the connections that are told to end. One that has just ended by itself is not among them. */
    private List<Object> endConnections() {
        return database.column("SELECT CASE WHEN pg_terminate_backend(pid) THEN pid END " + OURS).stream()
                .filter(Objects::nonNull)
                .toList();
    }

    /** Notes each connection that listens, because one that was silent is tested, and does not show its LISTEN after that. */
    private void awaitOthersThatListen(List<Object> ended) {
        String others =
                " AND pid NOT IN (" + ended.stream().map(Object::toString).collect(joining(", ")) + ")";
        Set<Object> channels = new HashSet<>();
        Await.until("they have ended, and both clients listen again", () -> {
            channels.addAll(database.column("SELECT query " + OURS + others + " AND query LIKE 'LISTEN%'"));
            return channels.size() == 2 && Collections.disjoint(ended, database.column("SELECT pid " + OURS));
        });
    }

    private static boolean acquires(Holdfast client) {
        Optional<Lease> granted = client.lock("first").tryAcquire();
        granted.ifPresent(Lease::close);
        return granted.isPresent();
    }

    @Test
    void aHandOverOutlivesAllConnections() throws Exception {
        Lease lease = holder.lock("ended").acquire();
        CompletableFuture<Long> token = waiting("ended");

        assertThat(endConnections()).hasSizeGreaterThanOrEqualTo(4);
        lease.close();

        assertThat(token.get(20, TimeUnit.SECONDS)).isGreaterThan(lease.fencingToken());
    }

    @Test
    void aWaiterIsNotifiedAgainAfterItsConnectionWasMadeAnew() throws Exception {
        holder.lock("first").acquire().close();
        awaitOthersThatListen(endConnections());
        // a pool may lend a connection that has ended a moment before
        Await.until("both acquire again", () -> acquires(holder) && acquires(waiter));
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
