package io.holdfast.jdbc;

import io.holdfast.jdbc.sql.Tables;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/**
 * The failures of a database. A text explains what failed to the person who has to repair it. The effect says what is known
 * about the statement.
 */
record Failures(Address database) {

    /** The SQL state of our own error: the database may forget what was committed. */
    static final String NOT_DURABLE = "90HFD";

    private static final String ROW_IS_LOCKED =
            "the row of the lock is locked by another transaction; end that transaction";
    private static final String NOT_SERVED =
            "the database was closed, or the process that serves it has ended or was never started;"
                    + " connections are retried";
    private static final String RIGHTS = "the user lacks a right; grant select, insert, update and delete on table "
            + Tables.DEFAULT.locks() + ", and create table if it does not exist";
    private static final String TABLE_IS_MISSING =
            "table " + Tables.DEFAULT.locks() + " was dropped; connect again, to create it";
    private static final String LOGIN = "it does not accept user and password; check them in the URL";
    private static final String IN_USE =
            "the file is in use by a process that does not share it; open it everywhere with AUTO_SERVER=TRUE";

    private static final Map<String, String> MEANINGS = Map.ofEntries(
            Map.entry("HYT00", ROW_IS_LOCKED),
            Map.entry(
                    NOT_DURABLE,
                    "it may forget locks when the process that serves it dies, and this user may not change that; let an"
                            + " administrator run SET WRITE_DELAY 0"),
            Map.entry("28000", LOGIN),
            Map.entry("90096", RIGHTS),
            Map.entry("90040", RIGHTS),
            Map.entry("42S02", TABLE_IS_MISSING),
            Map.entry("42S04", TABLE_IS_MISSING),
            Map.entry("22001", "the lock name and keyPrefix together are too long"),
            Map.entry("90020", IN_USE),
            Map.entry("90067", NOT_SERVED),
            Map.entry("90098", NOT_SERVED),
            Map.entry("90121", NOT_SERVED));

    /** The states of permanent failures of a transaction, which somebody has to repair. */
    private static final Set<String> PERMANENT = Set.of("28000", "90096", "90040", "42S02", "42S04", "22001");

    /**
     * The states of temporary failures to connect, in addition to class 08 and states that do not begin with a digit. All other
     * failures to connect are permanent: somebody has to repair them.
     */
    private static final Set<String> TEMPORARY = Set.of("HYT00", "50000", "90020", "90067", "90098", "90121");

    /**
     * Returns the failure for a connection that was not opened. H2 quotes the URL with its settings, so the quotation is left
     * out.
     */
    StoreException opening(String what, SQLException e) {
        SQLException cause = root(e);
        String state = String.valueOf(cause.getSQLState());
        boolean isTemporary = TEMPORARY.contains(state) || state.startsWith("08") || !state.matches("[0-9].*");
        String message = String.valueOf(cause.getMessage()).split("; SQL statement:", 2)[0];
        SQLException masked = new SQLException(message.replaceAll("(?s)\".*\"", "\"...\""), state);
        masked.setStackTrace(cause.getStackTrace());
        return new StoreException(isTemporary ? Effect.NOT_APPLIED : Effect.REFUSED, text(what, masked, state), masked);
    }

    /** Returns the failure of a request whose row another transaction keeps locked. */
    StoreException rowLocked(String what) {
        return new StoreException(Effect.NOT_APPLIED, "H2 at " + database + ": " + what + ": " + ROW_IS_LOCKED);
    }

    /** Returns the failure of a statement that has written nothing. */
    StoreException notApplied(String what, SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return new StoreException(
                PERMANENT.contains(state) ? Effect.REFUSED : Effect.NOT_APPLIED, text(what, e, state), e);
    }

    /** Returns the failure of a statement that may have written. */
    StoreException unknown(String what, SQLException e) {
        return new StoreException(Effect.UNKNOWN, text(what, e, String.valueOf(e.getSQLState())), e);
    }

    StoreException refused(String what, String why) {
        return new StoreException(Effect.REFUSED, "H2 at " + database + ": " + what + ": " + why);
    }

    private String text(String what, SQLException cause, String state) {
        String meaning = MEANINGS.get(state);
        String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return "H2 at " + database + ": " + what + ": " + (meaning == null ? message : meaning + " (" + message + ")");
    }

    /** Returns the database's own error, which the pool has wrapped. */
    private static SQLException root(SQLException e) {
        SQLException deepest = e;
        for (Throwable cause = e; cause != null && !isNotDurable(deepest); cause = cause.getCause()) {
            deepest = cause instanceof SQLException known ? known : deepest;
        }
        return deepest;
    }

    private static boolean isNotDurable(SQLException e) {
        return NOT_DURABLE.equals(e.getSQLState());
    }
}
