package io.holdfast.jdbc.sql;

import io.holdfast.jdbc.sql.GuardedStatements.Lease;
import io.holdfast.jdbc.sql.GuardedStatements.Renewed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The leases of a batch that were renewed, as the rows of a result tell. */
final class RenewedLeases {

    private record Holder(Key key, String tenure) {}

    private final Map<Holder, Lease> leases = new HashMap<>();
    private final Map<Lease, Renewed> renewed = new HashMap<>();

    RenewedLeases(List<Lease> all) {
        all.forEach(lease -> leases.put(new Holder(lease.key(), lease.tenure()), lease));
    }

    /** Reads a row: name, tenure, waiters and time. Returns {@code false} if none of the leases is meant. */
    boolean read(ResultSet line) throws SQLException {
        Lease lease = leases.get(new Holder(Key.of(line.getBytes(1)), line.getString(2)));
        if (lease == null) {
            return false;
        }
        renewed.put(lease, new Renewed(line.getInt(3), line.getLong(4)));
        return true;
    }

    /** Returns the leases of the rows that were read. */
    Map<Lease, Renewed> all() {
        return Map.copyOf(renewed);
    }
}
