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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Renews many leases by one statement for all of the same length; where one row is locked by somebody else, each by a
 * statement of its own, so that this one holds up no other.
 *
 * @param key what the table has for a name
 */
record Renewals(Transactions transactions, Failures failures, Function<String, byte[]> key) {

    /** What one statement asks for. */
    private record Terms(Duration lease, long tokens) {

        static Terms of(Renew request) {
            return new Terms(request.lease(), request.tokens());
        }
    }

    /** Which row is whose; by text, as arrays are not equal to each other. */
    private record Held(String key, String tenure) {}

    CompletionStage<List<Renew.Reply>> start(List<Renew> batch) {
        try {
            return CompletableFuture.completedStage(renew(batch));
        } catch (StoreException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private List<Renew.Reply> renew(List<Renew> batch) {
        String what = batch.size() == 1 ? "renew '" + batch.get(0).name() + "'" : "renew " + batch.size() + " locks";
        try {
            return transactions.tryOften(what, connection -> Optional.of(renew(connection, batch)));
        } catch (SQLException e) {
            if (Failures.isLockedRow(e) && batch.size() > 1) {
                return batch.stream().map(this::renewAlone).toList();
            }
            throw failures.notApplied(what, e);
        }
    }

    private Renew.Reply renewAlone(Renew request) {
        try {
            return renew(List.of(request)).get(0);
        } catch (StoreException e) {
            return new Renew.Failed(e);
        }
    }

    private List<Renew.Reply> renew(Connection connection, List<Renew> batch) throws SQLException {
        Map<Held, Renew.Reply> renewed = new HashMap<>();
        for (List<Renew> alike :
                batch.stream().collect(Collectors.groupingBy(Terms::of)).values()) {
            renewAlike(connection, alike, renewed);
        }
        return batch.stream()
                .map(request -> renewed.getOrDefault(held(request), new Renew.Lost()))
                .toList();
    }

    private void renewAlike(Connection connection, List<Renew> alike, Map<Held, Renew.Reply> renewed)
            throws SQLException {
        long tokens = alike.get(0).tokens();
        Transactions.query(
                connection,
                Sql.RENEW,
                line -> renewed.put(held(line.getBytes(1), line.getString(2)), renewed(line, tokens > 0)),
                JdbcStore.micros(alike.get(0).lease()),
                TokenUnits.units(tokens),
                alike.stream().map(request -> key.apply(request.name())).toArray(),
                alike.stream().map(request -> request.tenure().toString()).toArray());
    }

    private static Renew.Reply renewed(ResultSet line, boolean withTokens) throws SQLException {
        Optional<TokenBlock> tokens =
                withTokens ? Optional.of(JdbcStore.block(line.getLong(3), line.getLong(4))) : Optional.empty();
        return new Renew.Renewed(0, tokens, line.getLong(5));
    }

    private Held held(Renew request) {
        return held(key.apply(request.name()), request.tenure().toString());
    }

    private static Held held(byte[] key, String tenure) {
        return new Held(new String(key, StandardCharsets.ISO_8859_1), tenure);
    }
}
