package io.holdfast.jdbc.sql;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The failures of a kind of database, by their codes.
 *
 * <p>A code is an SQL state, the first two characters of one, or the error number of the vendor. A number precedes a state,
 * because drivers for one server give different states to one error.
 */
public final class FailureCodes {

    /** The class of the states of the network. */
    public static final String NETWORK = "08";

    private record Failure(Verdict verdict, Optional<String> meaning) {}

    private static final Failure UNLISTED = new Failure(Verdict.UNKNOWN, Optional.empty());

    /** What a failure says about the connection on which a statement has failed. */
    public enum Health {
        /** It can be used. */
        GOOD,
        /** It cannot be used again. */
        BAD,
        /** Its server accepts no writes, as after a failover. Another connection may lead to one that does. */
        READ_ONLY,
        /** Nothing. */
        UNKNOWN
    }

    private final boolean byNumber;
    private final Map<String, Failure> failures;
    private final Map<String, Health> healths;

    private FailureCodes(boolean byNumber, Map<String, Failure> failures, Map<String, Health> healths) {
        this.byNumber = byNumber;
        this.failures = Map.copyOf(failures);
        this.healths = Map.copyOf(healths);
    }

    /** Returns an empty table of SQL states. */
    static FailureCodes byState() {
        return new FailureCodes(false, Map.of(), Map.of());
    }

    /** Returns the codes of a database whose kind is not known yet: one that is starting, stops, or has no connection left. */
    public static FailureCodes ofAnyKind() {
        return byState()
                .with(Verdict.NOT_APPLIED, "53", "57P01", "57P02", "57P03")
                // of H2, while another process takes over its file
                .with(Verdict.NOT_APPLIED, "90020", "90067", "90098", "90121");
    }

    /** Returns an empty table of error numbers and SQL states. */
    static FailureCodes byNumber() {
        return new FailureCodes(true, Map.of(), Map.of());
    }

    /** Returns a copy with codes that need no explanation beyond the message of the database. */
    FailureCodes with(Verdict verdict, String... codes) {
        return with(new Failure(verdict, Optional.empty()), codes);
    }

    /**
     * Returns a copy with codes and their meaning.
     *
     * @param meaning the text for the person who has to repair the cause
     */
    FailureCodes meaning(Verdict verdict, String meaning, String... codes) {
        return with(new Failure(verdict, Optional.of(meaning)), codes);
    }

    private FailureCodes with(Failure failure, String... codes) {
        Map<String, Failure> more = new HashMap<>(failures);
        List.of(codes).forEach(code -> more.put(code, failure));
        return new FailureCodes(byNumber, more, healths);
    }

    /** Returns a copy with codes that say something about the connection. A code that is listed otherwise says that it is good. */
    FailureCodes health(Health health, String... codes) {
        Map<String, Health> more = new HashMap<>(healths);
        List.of(codes).forEach(code -> more.put(code, health));
        return new FailureCodes(byNumber, failures, more);
    }

    private <T> Optional<T> find(Map<String, T> table, SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return Optional.<T>empty()
                .or(() -> Optional.ofNullable(byNumber ? table.get(Integer.toString(e.getErrorCode())) : null))
                .or(() -> Optional.ofNullable(table.get(state)))
                .or(() -> Optional.ofNullable(table.get(state.substring(0, Math.min(2, state.length())))));
    }

    private Optional<Failure> find(SQLException e) {
        return find(failures, e);
    }

    /** Returns what a failed statement says about its connection. */
    public Health health(SQLException e) {
        return find(healths, e).orElse(find(e).isPresent() ? Health.GOOD : Health.UNKNOWN);
    }

    /** Returns what a failed statement says about its effect. */
    public Verdict verdict(SQLException e) {
        return find(e).orElse(UNLISTED).verdict();
    }

    /** Returns the text for the person who has to repair the cause. */
    public Optional<String> meaning(SQLException e) {
        return find(e).flatMap(Failure::meaning);
    }

    /**
     * Returns {@code true} if a failure to connect may end by itself.
     *
     * @param unlisted whether a failure may do so that is not listed, is not one of the network, and has a standard SQL state
     */
    public boolean isTemporary(SQLException e, boolean unlisted) {
        String state = String.valueOf(e.getSQLState());
        return find(e).map(failure -> !failure.verdict().isPermanent())
                .orElse(unlisted || state.startsWith(NETWORK) || !state.matches("[0-9].*"));
    }
}
