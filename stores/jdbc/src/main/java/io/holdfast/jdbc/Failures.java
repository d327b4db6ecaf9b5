package io.holdfast.jdbc;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/**
 * Says what went wrong, for a person who has to repair it, and what is known about the effect: a transaction that did not
 * come to its commit is not applied.
 */
record Failures(Address database) {

    private static final String ROW_IS_LOCKED =
            "the row of the lock is locked by a transaction of somebody else; end that transaction";
    private static final String GONE = "it was closed, or the process that served it has ended; it is opened again";
    private static final String RIGHTS = "the user may not do that; allow select, insert, update and delete on table "
            + Sql.TABLE + ", and create table as long as there is none";
    private static final String TABLE_IS_ANOTHER =
            "table " + Sql.TABLE + " has other columns; rename it, and it will be created";
    private static final String TABLE_IS_GONE = "table " + Sql.TABLE + " was dropped; connect again, to create it";
    private static final String LOGIN = "it does not accept user and password; check them in the URL";
    private static final String IN_USE =
            "the file is in use by a process that does not share it; open it everywhere with AUTO_SERVER=TRUE";

    private static final Map<String, String> MEANINGS = Map.ofEntries(
            Map.entry("HYT00", ROW_IS_LOCKED),
            Map.entry("28000", LOGIN),
            Map.entry("90096", RIGHTS),
            Map.entry("42S02", TABLE_IS_GONE),
            Map.entry("42S04", TABLE_IS_GONE),
            Map.entry("42S22", TABLE_IS_ANOTHER),
            Map.entry("22001", "the name is too long, with its prefix"),
            Map.entry("90020", IN_USE),
            Map.entry("90067", GONE),
            Map.entry("90098", GONE),
            Map.entry("90121", GONE));

    private static final Set<String> TO_BE_REPAIRED =
            Set.of("28000", "90096", "42S02", "42S04", "42S22", "22001", "90011", "90013");

    /** Others were faster; the same again may go well. */
    private static final Set<String> RACES = Set.of("23505", "40001", "90131");

    static boolean isRace(SQLException e) {
        return RACES.contains(e.getSQLState());
    }

    static boolean isLockedRow(SQLException e) {
        return "HYT00".equals(e.getSQLState());
    }

    /** The transaction did not come to its commit. */
    StoreException notApplied(String what, SQLException e) {
        SQLException cause = root(e);
        String state = String.valueOf(cause.getSQLState());
        return new StoreException(
                TO_BE_REPAIRED.contains(state) ? Effect.REFUSED : Effect.NOT_APPLIED, text(what, cause, state), e);
    }

    /** The commit was sent, and what came of it is not known. */
    StoreException unknown(String what, SQLException e) {
        SQLException cause = root(e);
        return new StoreException(Effect.UNKNOWN, text(what, cause, String.valueOf(cause.getSQLState())), e);
    }

    StoreException refused(String what, String why) {
        return new StoreException(Effect.REFUSED, "H2 at " + database + ": " + what + ": " + why);
    }

    private String text(String what, SQLException cause, String state) {
        String meaning = MEANINGS.get(state);
        String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return "H2 at " + database + ": " + what + ": " + (meaning == null ? message : meaning + " (" + message + ")");
    }

    /** What the database said, below what the pool made of it. */
    private static SQLException root(SQLException e) {
        return e.getCause() instanceof SQLException cause ? root(cause) : e;
    }
}
