package io.holdfast.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.jdbc.sql.FailureCodes.Health;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** A transaction whose connection fails at one of its steps. */
class PooledTransactionTest {

    private static final FailureCodes CODES = new PostgreSql(Tables.DEFAULT).codes();
    private final SQLException cut = new SQLException("cut", "08006");

    private final List<String> calls = new ArrayList<>();
    private final Map<String, SQLException> failures = new HashMap<>();

    private <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Connection connection() {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            calls.add(method.getName());
            SQLException failure = failures.get(method.getName());
            if (failure != null) {
                throw new SQLException(failure.getMessage(), failure.getSQLState());
            }
            return switch (method.getName()) {
                case "unwrap" ->
                    proxy(PGConnection.class, (driver, asked, none) -> asked.getReturnType() == int.class ? 5 : null);
                case "createStatement" ->
                    proxy(
                            Statement.class,
                            (statement, asked, none) -> asked.getReturnType() == boolean.class ? true : null);
                default -> null;
            };
        });
    }

    private SQLException fails(String step, SQLException failure) {
        failures.put(step, failure);
        return catchThrowableOfType(
                SQLException.class,
                () -> new PooledTransaction(connection(), "SET").run(() -> {
                    SQLException thrown = failures.get("statement");
                    if (thrown != null) {
                        throw thrown;
                    }
                    return 1;
                }));
    }

    private static void assertNotApplied(SQLException thrown) {
        assertThat(CODES.verdict(thrown)).isEqualTo(Verdict.NOT_APPLIED);
        assertThat(CODES.health(thrown)).isEqualTo(Health.BAD);
    }

    @Test
    void isNotAppliedIfTheConnectionIsLostBeforeTheCommit() {
        assertNotApplied(fails("statement", cut));
        assertThat(calls).doesNotContain("commit");
    }

    @Test
    void isNotAppliedIfTheConnectionIsLostBeforeItBegins() {
        assertNotApplied(fails("setAutoCommit", cut));
        assertThat(calls).doesNotContain("commit");
    }

    @Test
    void endsAConnectionThatCannotRollBack() {
        failures.put("rollback", cut);
        assertNotApplied(fails("statement", new SQLException("locked", "55P03")));
        assertThat(calls).contains("abort").doesNotContain("commit");
    }

    @Test
    void isUnknownIfTheCommitFails() {
        SQLException thrown = fails("commit", new SQLException("conflict", "40001"));
        assertThat(CODES.verdict(thrown)).isEqualTo(Verdict.UNKNOWN);
        assertThat(CODES.health(thrown)).isEqualTo(Health.BAD);
    }

    @Test
    void keepsWhatTheServerSaysOfAStatementThatIsRolledBack() {
        SQLException thrown = fails("statement", new SQLException("locked", "55P03"));
        assertThat(CODES.verdict(thrown)).isEqualTo(Verdict.LOCKED);
        assertThat(CODES.health(thrown)).isEqualTo(Health.GOOD);
        assertThat(calls).contains("rollback").doesNotContain("abort");
    }
}
