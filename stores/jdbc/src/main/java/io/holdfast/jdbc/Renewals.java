package io.holdfast.jdbc;

import io.holdfast.spi.Renew;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.TokenBlock;
import io.holdfast.support.TokenUnits;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The renewals of many leases. One statement renews all leases of the same length.
 *
 * <p>Rows that no other transaction has locked are renewed first. So a row that stays locked delays no other renewal.
 *
 * @param key returns the key in the table for a name
 */
record Renewals(Transactions transactions, Failures failures, Function<String, byte[]> key) {

    /** The parameters that all leases of one statement share. */
    private record Terms(Duration lease, long tokens, long floor) {

        static Terms of(Renew request) {
            return new Terms(request.lease(), request.tokens(), request.floor());
        }
    }

    /** A row and its tenure. The key is a text, because arrays do not compare by content. */
    private record RowId(String key, String tenure) {}

    CompletionStage<List<Renew.Reply>> start(List<Renew> batch) {
        return Transactions.start(() -> renew(batch));
    }

    /** Renews the leases whose rows are free, then waits once for the other rows. Renewals of rows that stay locked fail. */
    private List<Renew.Reply> renew(List<Renew> batch) {
        String what = batch.size() == 1 ? "renew '" + batch.get(0).name() + "'" : "renew " + batch.size() + " locks";
        Map<RowId, Renew.Reply> replies = new HashMap<>();
        try {
            renew(what, batch, Sql.LOCK_FREE, replies);
            List<Renew> remaining = without(batch, replies);
            if (!remaining.isEmpty()) {
                awaitAndRenew(what, remaining, replies);
            }
        } catch (SQLException e) {
            throw failures.notApplied(what, e);
        }
        return batch.stream().map(request -> replies.get(row(request))).toList();
    }

    private void awaitAndRenew(String what, List<Renew> remaining, Map<RowId, Renew.Reply> replies)
            throws SQLException {
        try {
            renew(what, remaining, Sql.LOCK_ALL, replies);
        } catch (SQLException e) {
            if (!Failures.isLockedRow(e)) {
                throw e;
            }
            renew(what, remaining, Sql.LOCK_FREE, replies);
            for (Renew request : without(remaining, replies)) {
                StoreException cause = failures.notApplied("renew '" + request.name() + "'", e);
                replies.put(row(request), new Renew.Failed(cause));
            }
        }
    }

    private List<Renew> without(List<Renew> batch, Map<RowId, Renew.Reply> replies) {
        return batch.stream()
                .filter(request -> !replies.containsKey(row(request)))
                .toList();
    }

    /** Locks rows by the given statement, and renews their leases. A lease without a row is lost. */
    private void renew(String what, List<Renew> batch, String lock, Map<RowId, Renew.Reply> replies)
            throws SQLException {
        replies.putAll(transactions.retry(what, connection -> {
            Object[] keys = keys(batch);
            Set<String> locked = query(connection, lock, keys);
            Set<String> present = locked.size() == batch.size() ? locked : query(connection, Sql.FIND_NAMES, keys);
            List<Renew> lockedRows = batch.stream()
                    .filter(request -> locked.contains(row(request).key()))
                    .toList();
            Map<RowId, Renew.Reply> answered = renew(connection, lockedRows);
            for (Renew request : batch) {
                if (!present.contains(row(request).key())) {
                    answered.put(row(request), new Renew.Lost());
                }
            }
            return Optional.of(answered);
        }));
    }

    private Object[] keys(List<Renew> batch) {
        return batch.stream().map(request -> key.apply(request.name())).toArray();
    }

    private static Set<String> query(Connection connection, String sql, Object[] keys) throws SQLException {
        return new HashSet<>(Transactions.query(connection, sql, line -> text(line.getBytes(1)), (Object) keys));
    }

    private Map<RowId, Renew.Reply> renew(Connection connection, List<Renew> batch) throws SQLException {
        Map<RowId, Renew.Reply> replies = new HashMap<>();
        batch.forEach(request -> replies.put(row(request), new Renew.Lost()));
        for (List<Renew> alike :
                batch.stream().collect(Collectors.groupingBy(Terms::of)).values()) {
            renewAlike(connection, alike, replies);
        }
        return replies;
    }

    private void renewAlike(Connection connection, List<Renew> alike, Map<RowId, Renew.Reply> renewed)
            throws SQLException {
        long tokens = alike.get(0).tokens();
        Transactions.query(
                connection,
                Sql.RENEW,
                line -> renewed.put(row(line.getBytes(1), line.getString(2)), renewed(line, alike.get(0))),
                JdbcStore.micros(alike.get(0).lease()),
                TokenUnits.units(tokens),
                keys(alike),
                alike.stream().map(request -> request.tenure().toString()).toArray(),
                TokenUnits.unit(alike.get(0).floor()));
    }

    private static Renew.Reply renewed(ResultSet line, Renew request) throws SQLException {
        Optional<TokenBlock> tokens = request.tokens() > 0
                ? Optional.of(JdbcStore.block(line.getLong(3), line.getLong(4)))
                : Optional.empty();
        return new Renew.Renewed(request.lease(), 0, tokens, line.getLong(5));
    }

    private RowId row(Renew request) {
        return row(key.apply(request.name()), request.tenure().toString());
    }

    private static RowId row(byte[] key, String tenure) {
        return new RowId(text(key), tenure);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }
}
