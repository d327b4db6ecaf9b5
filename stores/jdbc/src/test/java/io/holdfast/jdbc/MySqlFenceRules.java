package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.FencedOutException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a fence keeps in MySQL and MariaDB, whose drivers tell the number of changed rows and a generated number. */
abstract class MySqlFenceRules extends RowFenceRules {

    @Override
    final List<Integer> readingTheLatest() {
        return levels();
    }

    /** A statement of a trigger replaces the generated number. */
    @Test
    void refusesAnOldTokenInATableThatHasATrigger() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS fence_with_trigger");
            fence = JdbcFence.of(database, "fence_with_trigger");
            statement.execute("CREATE TRIGGER fence_is_raised BEFORE UPDATE ON fence_with_trigger FOR EACH ROW"
                    + " SET @raised = NEW.token");
        }
        guard(200);
        assertThatThrownBy(() -> guard(150)).isInstanceOf(FencedOutException.class);
        guard(201);
    }

    /** The driver then tells that a refused token has changed no row. */
    @Test
    void refusesAnOldTokenThoughTheDriverCountsChangedRows() throws SQLException {
        guard(200);
        try (HikariDataSource counting = new HikariDataSource()) {
            counting.setJdbcUrl(uri() + (uri().contains("?") ? "&" : "?") + "useAffectedRows=true");
            fence = JdbcFence.of(counting);
            try (Connection transaction = counting.getConnection()) {
                transaction.setAutoCommit(false);
                fence.guard(transaction, name, 200);
                assertThatThrownBy(() -> fence.guard(transaction, name, 150)).isInstanceOf(FencedOutException.class);
                transaction.rollback();
            }
        }
    }

    @Test
    void refusesATableWithoutTransactions() throws SQLException {
        refuse("without_transactions", "InnoDB", "MyISAM", "what was rolled back");
    }

    @Test
    void keepsTheNumberThatTheApplicationHasGenerated() throws SQLException {
        guard(200);
        try (Connection transaction = begin();
                Statement statement = transaction.createStatement()) {
            statement.execute("DO LAST_INSERT_ID(7)");
            fence.guard(transaction, name, 201);
            try (ResultSet number = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
                assertThat(number.next()).isTrue();
                assertThat(number.getLong(1)).isEqualTo(7);
            }
            transaction.rollback();
        }
    }
}
