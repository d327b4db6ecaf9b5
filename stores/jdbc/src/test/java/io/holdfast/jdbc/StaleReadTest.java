package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.WatchedSessions.Watched;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that has just taken over reads an old row, because it has not applied all transactions of the one before it. */
@Timeout(180)
class StaleReadTest {

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String name = "stale" + NAMES.incrementAndGet() + ".";

    static Stream<DatabaseServer> servers() {
        return Stream.of(Servers.postgreSql(), Servers.mariaDb());
    }

    private String rows() {
        return " WHERE name LIKE 'L" + name + "%'";
    }

    /** Makes a request at a server that has not applied the last writes of the rows when it is asked for them. */
    private void staleOnce(DatabaseServer server, Predicate<StoreClient> request, int others) throws SQLException {
        try (Watched watched = WatchedSessions.client(server.uri() + "&tablePrefix=stale_");
                Databases foreign = Databases.at(server.uri(), "")) {
            StoreClient client = watched.client();
            Stream.concat(Stream.of(name), others(others)).forEach(each -> client.granted(each, 1));
            foreign.run("UPDATE stale_locks SET tenure = CONCAT('x', tenure)" + rows());
            AtomicInteger writes = new AtomicInteger();
            watched.sessions().beforeWrite(what -> {
                if (what.startsWith("update ") && writes.getAndIncrement() == 0) {
                    foreign.run("UPDATE stale_locks SET tenure = SUBSTRING(tenure, 2), version = version + 1" + rows());
                }
                return true;
            });
            assertThat(request).accepts(client);
            assertThat(writes).hasPositiveValue();
        }
    }

    private Stream<String> others(int count) {
        return IntStream.range(0, count).mapToObj(i -> name + i);
    }

    private boolean isRenewed(StoreClient client, int others) {
        List<Renew> batch = Stream.concat(Stream.of(name), others(others))
                .map(each -> renewal(client, each))
                .toList();
        return client.renew(batch).stream().allMatch(Renew.Renewed.class::isInstance);
    }

    private static Renew renewal(StoreClient client, String held) {
        return new Renew(held, client.tenure(1), Share.Mode.LOCK, StoreClient.LEASE, 0);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void losesNoHoldToAnOldRow(DatabaseServer server) throws SQLException {
        staleOnce(server, client -> isRenewed(client, 0), 0);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void losesNoHoldOfABatchToAnOldRow(DatabaseServer server) throws SQLException {
        staleOnce(server, client -> isRenewed(client, 3), 3);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void releasesAHoldDespiteAnOldRow(DatabaseServer server) throws SQLException {
        staleOnce(server, client -> client.release(name, 1).held(), 0);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void losesAHoldThatAnotherTransactionHasEnded(DatabaseServer server) throws SQLException {
        try (Watched watched = WatchedSessions.client(server.uri() + "&tablePrefix=stale_");
                Databases foreign = Databases.at(server.uri(), "")) {
            watched.client().granted(name, 1);
            Renew held = renewal(watched.client(), name);
            foreign.run("UPDATE stale_locks SET tenure = CONCAT('x', tenure)" + rows());
            assertThat(watched.client().renew(List.of(held))).hasOnlyElementsOfType(Renew.Lost.class);
            foreign.run("DELETE FROM stale_locks" + rows());
            assertThat(watched.client().renew(List.of(held))).hasOnlyElementsOfType(Renew.Lost.class);
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void losesAllHoldsByFewRequestsAfterTheTableWasEmptied(DatabaseServer server) throws SQLException {
        try (Watched watched = WatchedSessions.client(server.uri() + "&tablePrefix=stale_");
                Databases foreign = Databases.at(server.uri(), "")) {
            StoreClient client = watched.client();
            List<Renew> batch = others(300)
                    .map(each -> {
                        client.granted(each, 1);
                        return renewal(client, each);
                    })
                    .toList();
            foreign.run("DELETE FROM stale_locks" + rows());
            watched.sessions().forget();
            assertThat(client.renew(batch)).hasSize(300).hasOnlyElementsOfType(Renew.Lost.class);
            assertThat(watched.sessions().ran()).hasSizeLessThan(20);
        }
    }
}
