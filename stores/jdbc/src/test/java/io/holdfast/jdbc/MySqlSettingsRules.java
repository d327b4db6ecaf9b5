package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.StoreException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Settings and tables of a server of MySQL or MariaDB with which locks are not safe. */
abstract class MySqlSettingsRules {

    private final String url;
    private final Databases database;

    MySqlSettingsRules(DatabaseServer server) {
        url = server.uri();
        database = Databases.at(url, "");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    private String warnings() {
        try (Warnings warnings = new Warnings()) {
            Databases.client(url).close();
            return String.join(" ", warnings.texts());
        }
    }

    @Test
    void warnsOfAServerThatForgetsCommits() {
        Object before = database.column("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit")
                .get(0);
        try {
            database.run("SET GLOBAL innodb_flush_log_at_trx_commit = 0");
            assertThat(warnings()).contains("innodb_flush_log_at_trx_commit is 0");
        } finally {
            database.run("SET GLOBAL innodb_flush_log_at_trx_commit = " + before);
        }
        assertThat(warnings()).doesNotContain("innodb_flush_log_at_trx_commit");
    }

    @Test
    void refusesAColumnThatPadsNames() {
        String padding = url + "&tablePrefix=padding_";
        Databases.client(padding).close();
        try {
            database.run("ALTER TABLE padding_locks MODIFY name binary(64)");
            assertThatThrownBy(() -> Databases.client(padding).close())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("table padding_locks or padding_clients has other columns");
        } finally {
            database.run("DROP TABLE padding_locks, padding_clients");
        }
    }
}
