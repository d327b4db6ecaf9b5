package io.holdfast.examples.web;

import io.holdfast.examples.flashsale.ShareStore;
import io.holdfast.jdbc.JdbcFence;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The stock in PostgreSQL: a row for each shelf, and a row for each entry. */
final class SqlStock implements Stock {

    private static final String WRITE_ITEMS = "UPDATE shop_stock SET items = ? WHERE way = ? AND shelf = ?";

    private static final String TAKE_KEY = """
            INSERT INTO shop_key VALUES (?, clock_timestamp() + ? * interval '1 millisecond')
            ON CONFLICT (way) DO UPDATE SET expires = EXCLUDED.expires WHERE shop_key.expires < clock_timestamp()
            """;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final JdbcFence fence;

    SqlStock(JdbcTemplate jdbc, TransactionTemplate transactions, DataSource dataSource) throws SQLException {
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.fence = JdbcFence.of(dataSource);
    }

    @Override
    public long read(Way way, int shelf) {
        return Objects.requireNonNull(jdbc.queryForObject(
                "SELECT items FROM shop_stock WHERE way = ? AND shelf = ?", Long.class, way.label(), shelf));
    }

    @Override
    public long readFenced(Way way, int shelf, long token) {
        return Objects.requireNonNull(transactions.execute(status -> {
            guard(way, shelf, token);
            return read(way, shelf);
        }));
    }

    @Override
    public void write(Way way, long left, Entry order) {
        transactions.executeWithoutResult(status -> writeBoth(way, left, order));
    }

    @Override
    public void writeFenced(Way way, long left, Entry order) {
        transactions.executeWithoutResult(status -> {
            guard(way, order.shelf(), order.token());
            writeBoth(way, left, order);
        });
    }

    private void guard(Way way, int shelf, long token) {
        ConnectionCallback<Boolean> guarding = connection -> {
            fence.guard(connection, way.label() + "/" + shelf, token);
            return true;
        };
        var unused = jdbc.execute(guarding);
    }

    private void writeBoth(Way way, long left, Entry order) {
        jdbc.update(WRITE_ITEMS, left, way.label(), order.shelf());
        note(way, order);
    }

    @Override
    public void note(Way way, Entry entry) {
        jdbc.update(SqlTables.INSERT_ENTRY, way.label(), entry.toText());
    }

    @Override
    public boolean takeKey(Way way, Duration expiry) {
        return jdbc.update(TAKE_KEY, way.label(), expiry.toMillis()) == 1;
    }

    @Override
    public void freeKey(Way way) {
        jdbc.update("DELETE FROM shop_key WHERE way = ?", way.label());
    }

    @Override
    public ShareStore shares(Way way) {
        return new SqlShares(jdbc, transactions, way);
    }
}
