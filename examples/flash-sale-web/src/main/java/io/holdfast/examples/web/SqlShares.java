package io.holdfast.examples.web;

import io.holdfast.examples.flashsale.ShareStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The shares of the instances in PostgreSQL. Each method that moves items is one transaction. If it locks the row of the stock
 * and that of a share, it locks the stock first.
 */
final class SqlShares implements ShareStore {

    private static final int PART = 8;

    private static final String SELL =
            "UPDATE shop_share SET items = items - 1 WHERE way = ? AND process = ? AND token = ?";
    private static final String LOCK_STOCK = "SELECT items FROM shop_stock WHERE way = ? AND shelf = 0 FOR UPDATE";
    private static final String LOCK_SHARE =
            "SELECT token, items FROM shop_share WHERE way = ? AND process = ? FOR UPDATE";
    private static final String ADD_TO_STOCK = "UPDATE shop_stock SET items = items + ? WHERE way = ? AND shelf = 0";
    private static final String ADD_TO_SHARE = "UPDATE shop_share SET items = items + ? WHERE way = ? AND process = ?";
    private static final String EMPTY_SHARE = """
            INSERT INTO shop_share VALUES (?, ?, ?, 0)
            ON CONFLICT (way, process) DO UPDATE SET token = EXCLUDED.token, items = 0
            """;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String way;

    SqlShares(JdbcTemplate jdbc, TransactionTemplate transactions, Way way) {
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.way = way.label();
    }

    /** A row of the table of shares. */
    private record Row(long token, long items) {}

    private long inTransaction(LongSupplier work) {
        return Objects.requireNonNull(transactions.execute(status -> work.getAsLong()));
    }

    @Override
    public long sell(int process, long token, String order) {
        return inTransaction(() -> {
            if (jdbc.update(SELL, way, process, token) == 0) {
                return REFUSED;
            }
            jdbc.update(SqlTables.INSERT_ENTRY, way, order);
            return number("SELECT count(*) FROM shop_entry WHERE way = ? AND entry LIKE 'ORDER %'");
        });
    }

    @Override
    public long take(int process, long token, int atLeast) {
        return inTransaction(() -> {
            long stock = number(LOCK_STOCK);
            if (share(process).filter(row -> row.token() == token).isEmpty()) {
                return REFUSED;
            }
            long items = Math.min(stock, Math.max(atLeast, stock / PART));
            jdbc.update(ADD_TO_STOCK, -items, way);
            jdbc.update(ADD_TO_SHARE, items, way, process);
            return items;
        });
    }

    @Override
    public long putBack(int process, long token) {
        return inTransaction(() -> {
            number(LOCK_STOCK);
            Row share = share(process).orElse(new Row(0, 0));
            if (share.token() > token) {
                return 0;
            }
            jdbc.update(ADD_TO_STOCK, share.items(), way);
            jdbc.update(EMPTY_SHARE, way, process, token);
            return share.items();
        });
    }

    private Optional<Row> share(int process) {
        return jdbc
                .query(
                        LOCK_SHARE,
                        (result, index) -> new Row(result.getLong("token"), result.getLong("items")),
                        way,
                        process)
                .stream()
                .findFirst();
    }

    private long number(String query) {
        return Objects.requireNonNull(jdbc.queryForObject(query, Long.class, way));
    }

    @Override
    public boolean stockIsEmpty() {
        return number("SELECT items FROM shop_stock WHERE way = ? AND shelf = 0") == 0;
    }

    @Override
    public List<Integer> unsold() {
        return jdbc.queryForList("SELECT process FROM shop_share WHERE way = ? AND items <> 0", Integer.class, way);
    }
}
