package io.holdfast.jdbc.connection;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.FailureCodes;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.NothingListens;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;

/**
 * The failures of a database. A text explains what failed to the person who has to repair it. The effect says what is known
 * about the statement.
 *
 * @param database the product and its address, for texts
 */
public record Failures(String database, FailureCodes codes) {

    Failures(Dialect dialect, String address) {
        this(dialect.product() + " at " + address, dialect.codes());
    }

    /**
     * Returns the failure for a connection that was not opened. Drivers quote the URL with its settings, so quotations are left
     * out.
     *
     * @param before whether a connection was opened before. A failure whose code is not listed is then temporary: drivers and pools
     *     report a connection that has broken by various codes
     */
    public StoreException opening(String what, SQLException e, boolean before) {
        SQLException cause = root(e);
        String message = String.valueOf(cause.getMessage()).split("; SQL statement:", 2)[0];
        SQLException masked = new SQLException(
                message.replaceAll("(?s)\".*\"", "\"...\""), cause.getSQLState(), cause.getErrorCode());
        masked.setStackTrace(cause.getStackTrace());
        if (String.valueOf(cause.getSQLState()).startsWith(FailureCodes.NETWORK)) {
            // not at H2, where another process takes over the file of one that has ended
            NothingListens.causeOf(e).ifPresent(masked::initCause);
        }
        Effect effect = codes.isTemporary(masked, before) ? Effect.NOT_APPLIED : Effect.REFUSED;
        return new StoreException(effect, text(what, masked), masked);
    }

    /** Returns the failure of a request whose row another transaction keeps locked. */
    StoreException rowLocked(String what) {
        return new StoreException(Effect.NOT_APPLIED, database + ": " + what + ": " + Dialect.ROW_IS_LOCKED);
    }

    /** Returns the failure of a statement that has written nothing. */
    StoreException notApplied(String what, SQLException e) {
        Effect effect = codes.verdict(e).isPermanent() ? Effect.REFUSED : Effect.NOT_APPLIED;
        return new StoreException(effect, text(what, e), e);
    }

    /** Returns the failure of a statement that may have written. */
    StoreException unknown(String what, SQLException e) {
        return new StoreException(Effect.UNKNOWN, text(what, e), e);
    }

    StoreException refused(String what, String why) {
        return new StoreException(Effect.REFUSED, database + ": " + what + ": " + why);
    }

    private String text(String what, SQLException cause) {
        String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return database + ": " + what + ": "
                + codes.meaning(cause)
                        .or(() -> Optional.of(NothingListens.TEXT).filter(text -> NothingListens.isCauseOf(cause)))
                        .map(meaning -> meaning + " (" + message + ")")
                        .orElse(message);
    }

    /**
     * Returns the error of the database, which drivers and the pool wrap: the first one with a meaning, or the innermost. An error of
     * our own that has no such cause says more than the cause.
     */
    private SQLException root(SQLException e) {
        SQLException found = e;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException known) {
                found = Opener.isTimeout(e) ? e : known;
                // the pool copies the state of the error that it wraps
                if (!(known instanceof SQLTransientConnectionException)
                        && codes.meaning(known).isPresent()) {
                    return known;
                }
            }
        }
        return found;
    }
}
