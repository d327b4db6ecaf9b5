package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.WatchedSessions.Watched;
import io.holdfast.spi.Acquire;
import io.holdfast.spi.Renew;
import io.holdfast.spi.Share;
import io.holdfast.testkit.StoreClient;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Renewals of many readers, some of which lose a race against another client. The others must not pay for it. */
@Timeout(180)
class LostRaceTest {

    /** More than one statement writes on MySQL. */
    private static final int READERS = 100;

    /** Far less than one for each reader. */
    private static final int FEW = 20;

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final String prefix = "read" + NAMES.incrementAndGet() + "-";

    static Stream<DatabaseServer> servers() {
        return Stream.of(Servers.postgreSql(), Servers.mariaDb());
    }

    private interface Check {
        void with(Watched watched, Databases foreign, List<Renew> batch) throws SQLException;
    }

    /** Acquires, so that the renewals can be watched. */
    private void check(DatabaseServer server, Check check) throws SQLException {
        try (Watched watched = WatchedSessions.client(server.uri() + "&tablePrefix=lostrace_");
                Databases foreign = Databases.at(server.uri(), "")) {
            List<Renew> batch = IntStream.range(0, READERS)
                    .mapToObj(i -> reader(watched.client(), i))
                    .toList();
            assertThat(watched.client().renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
            watched.sessions().forget();
            check.with(watched, foreign, batch);
        }
    }

    private Renew reader(StoreClient client, int number) {
        String name = prefix + number;
        assertThat(client.acquire(client.request(name, number).withShare(Share.READ)))
                .isInstanceOf(Acquire.Granted.class);
        return new Renew(name, client.tenure(number), Share.Mode.READ, StoreClient.LEASE, 0);
    }

    private String key(int number) {
        return "name = 'L" + prefix + number + "'";
    }

    private BigDecimal writes(Databases foreign) {
        return new BigDecimal(
                foreign.column("SELECT SUM(version) FROM lostrace_locks").get(0).toString());
    }

    private static void assertFew(Watched watched) {
        assertThat(watched.sessions().ran()).hasSizeLessThan(FEW);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void oneThatAnotherClientHasWrittenIsRepeatedAlone(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            BigDecimal before = writes(foreign);
            AtomicInteger attempts = new AtomicInteger();
            watched.sessions().beforeWrite(what -> {
                if (attempts.getAndIncrement() == 0) {
                    foreign.run("UPDATE lostrace_locks SET version = version + 1 WHERE " + key(7));
                }
                return true;
            });
            assertThat(watched.client().renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
            assertThat(writes(foreign).subtract(before)).isEqualByComparingTo(BigDecimal.valueOf(READERS + 1));
            assertFew(watched);
        });
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void someThatLoseAgainAndAgainAreRepeatedTogether(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            AtomicInteger attempts = new AtomicInteger();
            watched.sessions().beforeWrite(what -> {
                int half = READERS >> Math.min(10, attempts.incrementAndGet());
                IntStream.range(0, half)
                        .forEach(i -> foreign.run("UPDATE lostrace_locks SET version = version + 1 WHERE " + key(i)));
                return true;
            });
            assertThat(watched.client().renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
            assertFew(watched);
        });
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void theVictimOfADeadlockIsRepeatedTogether(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            AtomicInteger attempts = new AtomicInteger();
            watched.sessions().beforeWrite(what -> attempts.getAndIncrement() >= 2);
            assertThat(watched.client().renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
            assertFew(watched);
        });
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void aBatchThatAlwaysLosesIsRenewedOneByOne(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            watched.sessions().beforeWrite(what -> !what.endsWith(" names"));
            assertThat(watched.client().renew(batch)).hasOnlyElementsOfType(Renew.Renewed.class);
        });
    }

    /** Otherwise the leases of other locks in the batch would end, whose replies come with theirs. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void thoseThatAlwaysLoseTakeTheTimeOfOneRequestTogether(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            Set<String> tried = ConcurrentHashMap.newKeySet();
            watched.sessions().beforeWrite(what -> {
                tried.add(what);
                return false;
            });
            assertThatThrownBy(() -> watched.client().renew(batch.subList(0, 4)))
                    .hasMessageContaining("other clients wrote faster");
            assertThat(tried)
                    .containsExactlyInAnyOrder("update 4 names", "update '" + prefix + 0 + "'", "update 3 names");
        });
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void oneWhoseRowIsLockedIsLeftOut(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            foreign.connection.setAutoCommit(false);
            assertThat(foreign.column("SELECT version FROM lostrace_locks WHERE " + key(7) + " FOR UPDATE"))
                    .hasSize(1);
            List<Renew.Reply> replies = watched.client().renew(batch);
            foreign.connection.rollback();
            assertThat(replies.get(7)).isInstanceOf(Renew.Failed.class);
            assertThat(replies).filteredOn(Renew.Renewed.class::isInstance).hasSize(READERS - 1);
            assertFew(watched);
        });
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void oneThatCannotBeReadIsLeftOut(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            foreign.run("UPDATE lostrace_locks SET state = 'x' WHERE " + key(7));
            List<Renew.Reply> replies = watched.client().renew(batch);
            foreign.run("DELETE FROM lostrace_locks WHERE " + key(7));
            assertThat(replies.get(7)).isInstanceOf(Renew.Failed.class);
            assertThat(replies).filteredOn(Renew.Renewed.class::isInstance).hasSize(READERS - 1);
            assertFew(watched);
        });
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("servers")
    void oneWhoseRowIsGoneIsLost(DatabaseServer server) throws SQLException {
        check(server, (watched, foreign, batch) -> {
            foreign.run("DELETE FROM lostrace_locks WHERE " + key(7));
            List<Renew.Reply> replies = watched.client().renew(batch);
            assertThat(replies.get(7)).isInstanceOf(Renew.Lost.class);
            assertThat(replies).filteredOn(Renew.Renewed.class::isInstance).hasSize(READERS - 1);
            assertFew(watched);
        });
    }
}
