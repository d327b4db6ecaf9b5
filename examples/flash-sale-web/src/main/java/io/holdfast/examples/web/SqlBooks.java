package io.holdfast.examples.web;

import io.holdfast.jdbc.JdbcFence;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The accounts in PostgreSQL, written by {@link SqlStock}. */
public final class SqlBooks implements Books {

    private static final String ENTRIES =
            "SELECT (extract(epoch FROM at) * 1000)::bigint, entry FROM shop_entry WHERE way = ? AND entry ";

    private final SingleConnectionDataSource source;
    private final JdbcTemplate jdbc;

    /** Connects to the database, and creates the tables of the shop. */
    public SqlBooks(String uri) throws SQLException {
        source = new SingleConnectionDataSource(uri, true);
        jdbc = new JdbcTemplate(source);
        jdbc.execute(SqlTables.CREATE);
        JdbcFence.of(source);
    }

    @Override
    public void open(Way way, long stock) {
        for (String table : List.of("shop_stock", "shop_share", "shop_key", "shop_entry")) {
            jdbc.update("DELETE FROM " + table + " WHERE way = ?", way.label());
        }
        for (int shelf = 0; shelf < Books.shelves(way); shelf++) {
            jdbc.update(
                    "INSERT INTO shop_stock VALUES (?, ?, ?)", way.label(), shelf, Books.onShelf(way, shelf, stock));
        }
    }

    @Override
    public long left(Way way) {
        return sum("shop_stock", way) + sum("shop_share", way);
    }

    private long sum(String table, Way way) {
        String query = "SELECT coalesce(sum(items), 0) FROM " + table + " WHERE way = ?";
        return Objects.requireNonNull(jdbc.queryForObject(query, Long.class, way.label()));
    }

    @Override
    public List<Timed> orders(Way way) {
        return jdbc.query(ENTRIES + "LIKE 'ORDER %' ORDER BY id", SqlBooks::timed, way.label());
    }

    @Override
    public List<Timed> others(Way way) {
        return jdbc.query(ENTRIES + "NOT LIKE 'ORDER %' ORDER BY id", SqlBooks::timed, way.label());
    }

    private static Timed timed(ResultSet row, int index) throws SQLException {
        return new Timed(row.getLong(1), Entry.of(row.getString(2)));
    }

    @Override
    public void close() {
        source.destroy();
    }
}
