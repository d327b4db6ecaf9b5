package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.StoreRefusedException;
import io.holdfast.jdbc.sql.MySql;
import io.holdfast.jdbc.sql.PostgreSql;
import io.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clusters of MariaDB and MySQL that accept writes at each node, and servers that only resemble PostgreSQL. */
@Timeout(180)
class ManyWritersTest {

    private static final Map<String, String> GALERA = Map.of("wsrep_on", "ON", "wsrep_cluster_size", "2");
    private static final Map<String, String> GALERA_ALONE = Map.of("wsrep_on", "ON", "wsrep_cluster_size", "1");
    private static final Map<String, String> NO_GALERA = Map.of("wsrep_on", "OFF", "wsrep_cluster_size", "0");
    private static final Map<String, String> GROUP =
            Map.of("group_replication_group_name", "g", "group_replication_single_primary_mode", "OFF");
    private static final Map<String, String> GROUP_WITH_PRIMARY =
            Map.of("group_replication_group_name", "g", "group_replication_single_primary_mode", "ON");
    private static final Map<String, String> NO_GROUP =
            Map.of("group_replication_group_name", "", "group_replication_single_primary_mode", "OFF");

    /** Returns a source of connections to a real server, which answers some questions about its kind in another way. */
    private static DataSource answering(String uri, Map<String, String> answers) {
        return Sources.of(() -> {
            Connection real = DriverManager.getConnection(uri);
            return Views.of(real, (method, arguments, call) -> {
                String answer = method.equals("prepareStatement") ? answers.get(arguments[0]) : null;
                return answer == null ? call.run() : real.prepareStatement(answer);
            });
        });
    }

    private static DataSource with(Map<String, String> variables) {
        String size = variables.getOrDefault("wsrep_cluster_size", "0");
        return answering(
                Servers.mariaDb().uri(),
                Map.of(
                        MySql.CLUSTER,
                        variables.entrySet().stream()
                                .map(each -> "SELECT '" + each.getKey() + "', '" + each.getValue() + "'")
                                .collect(Collectors.joining(" UNION ")),
                        MySql.GALERA_SIZE,
                        "SELECT 'wsrep_cluster_size', '" + size + "'"));
    }

    private static void assertRefused(Map<String, String> variables, String kind) {
        assertThatThrownBy(() -> JdbcHoldfast.connect(with(variables)).close())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContainingAll(
                        "each of its nodes accepts writes, by a clock of its own, so a lock could have two holders",
                        "say so by oneWriter=true",
                        kind);
    }

    private static void assertUsed(DataSource source, String settings) {
        try (Holdfast client =
                JdbcHoldfast.builder(source).uri("jdbc:datasource" + settings).build()) {
            assertThat(client.lock("one writer").tryLock()).isTrue();
            client.lock("one writer").unlock();
        }
    }

    @Test
    void refusesAClusterOfSeveralWriters() {
        assertRefused(GALERA, "a Galera cluster of now [2] nodes");
        assertRefused(GALERA_ALONE, "a Galera cluster of now [1] nodes");
        assertRefused(GROUP, "Group Replication without a single primary");
    }

    @Test
    void usesAClusterOfOneWriter() {
        assertUsed(with(NO_GALERA), "");
        assertUsed(with(GROUP_WITH_PRIMARY), "");
        assertUsed(with(NO_GROUP), "");
    }

    @Test
    void usesAClusterOfSeveralWritersIfTheUserStatesThatClientsUseOne() {
        assertUsed(with(GALERA), "?oneWriter=true");
        assertUsed(with(GROUP), "?oneWriter=true");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PostgreSQL 18.6 on x86_64-pc-linux-gnu, compiled by gcc | 0",
                "PostgreSQL 15.18 (Debian 15.18-1.pgdg12+1) on x86_64-pc-linux-gnu | 0",
                "PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu | 1",
                "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC, Redshift 1.0.38698 | 1",
                "CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu) | 1"
            })
    void warnsOfAServerThatOnlyResemblesPostgreSql(String version, int warnings) throws SQLException {
        DataSource source =
                answering(Servers.postgreSql().uri(), Map.of(PostgreSql.VERSION, "SELECT '" + version + "'"));
        assertUsed(source, "");
        try (Connection connection = source.getConnection()) {
            assertThat(new PostgreSql(Tables.DEFAULT).concern(connection).stream())
                    .hasSize(warnings)
                    .allMatch(text -> text.startsWith("it only resembles PostgreSQL (" + version + ")"));
        }
    }
}
