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
 * <p>Rows that no other transaction has locked are renewed first. So a row that somebody keeps locked delays no other renewal.
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
    private record Held(String key, String tenure) {}

    CompletionStage<List<Renew.Reply>> start(List<Renew> batch) {
        return Transactions.start(() -> renew(batch));
    }

    /** Renews the leases whose rows are free, then waits once for the other rows, and then fails those that are still locked. */
    private List<Renew.Reply> renew(List<Renew> batch) {
        String what = batch.size() == 1 ? "renew '" + batch.get(0).name() + "'" : "renew " + batch.size() + " locks";
        Map<Held, Renew.Reply> replies = new HashMap<>();
        try {
            renew(what, batch, Sql.LOCK_FREE, replies);
            List<Renew> kept = without(batch, replies);
            if (!kept.isEmpty()) {
                awaitAndRenew(what, kept, replies);
            }
        } catch (SQLException e) {
            throw failures.notApplied(what, e);
        }
        return batch.stream().map(request -> replies.get(held(request))).toList();
    }

    private void awaitAndRenew(String what, List<Renew> kept, Map<Held, Renew.Reply> replies) throws SQLException {
        try {
            renew(what, kept, Sql.LOCK_ALL, replies);
        } catch (SQLException e) {
            if (!Failures.isLockedRow(e)) {
                throw e;
            }
            renew(what, kept, Sql.LOCK_FREE, replies);
            for (Renew request : without(kept, replies)) {
                StoreException cause = failures.notApplied("renew '" + request.name() + "'", e);
                replies.put(held(request), new Renew.Failed(cause));
            }
        }
    }

    private List<Renew> without(List<Renew> batch, Map<Held, Renew.Reply> replies) {
        return batch.stream()
                .filter(request -> !replies.containsKey(held(request)))
                .toList();
    }

    /** Adds the replies for the rows that were locked by us. A lease without a row is lost. */
    private void renew(String what, List<Renew> batch, String lock, Map<Held, Renew.Reply> replies)
            throws SQLException {
        replies.putAll(transactions.tryOften(what, connection -> {
            Object[] keys = keys(batch);
            Set<String> locked = found(connection, lock, keys);
            Set<String> present = locked.size() == batch.size() ? locked : found(connection, Sql.FIND, keys);
            List<Renew> ours = batch.stream()
                    .filter(request -> locked.contains(held(request).key()))
                    .toList();
            Map<Held, Renew.Reply> answered = renew(connection, ours);
            for (Renew request : batch) {
                if (!present.contains(held(request).key())) {
                    answered.put(held(request), new Renew.Lost());
                }
            }
            return Optional.of(answered);
        }));
    }

    private Object[] keys(List<Renew> batch) {
        return batch.stream().map(request -> key.apply(request.name())).toArray();
    }

    private static Set<String> found(Connection connection, String sql, Object[] keys) throws SQLException {
        return new HashSet<>(Transactions.query(connection, sql, line -> text(line.getBytes(1)), (Object) keys));
    }

    private Map<Held, Renew.Reply> renew(Connection connection, List<Renew> batch) throws SQLException {
        Map<Held, Renew.Reply> replies = new HashMap<>();
        batch.forEach(request -> replies.put(held(request), new Renew.Lost()));
        for (List<Renew> alike :
                batch.stream().collect(Collectors.groupingBy(Terms::of)).values()) {
            renewAlike(connection, alike, replies);
        }
        return replies;
    }

    private void renewAlike(Connection connection, List<Renew> alike, Map<Held, Renew.Reply> renewed)
            throws SQLException {
        long tokens = alike.get(0).tokens();
        Transactions.query(
                connection,
                Sql.RENEW,
                line -> renewed.put(held(line.getBytes(1), line.getString(2)), renewed(line, alike.get(0))),
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

    private Held held(Renew request) {
        return held(key.apply(request.name()), request.tenure().toString());
    }

    private static Held held(byte[] key, String tenure) {
        return new Held(text(key), tenure);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }
}
