package io.holdfast.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the failures of a database mean. */
class FailureCodesTest {

    static Stream<Dialect> dialects() {
        Tables tables = Tables.DEFAULT;
        return Stream.of(new PostgreSql(tables), new MySql("MySQL", tables, false), new H2(tables));
    }

    /** A character that the encoding of the database lacks, and a number that is too large. */
    @ParameterizedTest
    @MethodSource("dialects")
    void refusesAValueThatTheDatabaseDoesNotAccept(Dialect dialect) {
        assertThat(Stream.of("22021", "22P05", "22003"))
                .allMatch(state -> dialect.verdict(new SQLException("bad value", state)) == Verdict.REFUSED);
    }

    /** A pooler has given the connection another session of the server. A repetition on another connection is applied once. */
    @ParameterizedTest
    @ValueSource(strings = {"42P05", "26000"})
    void repeatsAStatementThatAPoolerHasLostOnAnotherConnection(String state) {
        SQLException lost = new SQLException("prepared statement \"S_1\" does not exist", state);
        Dialect dialect = new PostgreSql(Tables.DEFAULT);
        assertThat(dialect.verdict(lost)).isEqualTo(Verdict.NOT_APPLIED);
        assertThat(dialect.codes().health(lost)).isEqualTo(FailureCodes.Health.BAD);
    }

    /** Each driver has a state of its own for a connection that is cut, or on which it has waited for an answer in vain. */
    @ParameterizedTest
    @MethodSource("dialects")
    void replacesAConnectionWithoutAnAnswer(Dialect dialect) {
        assertThat(Stream.of("08000", "08003", "08006", "08S01"))
                .allMatch(state ->
                        dialect.codes().health(new SQLException("Read timed out", state)) == FailureCodes.Health.BAD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"57P01", "57P02", "57P03", "57P05"})
    void replacesAConnectionThatPostgreSqlEnds(String state) {
        SQLException ended = new SQLException("terminating connection", state);
        assertThat(new PostgreSql(Tables.DEFAULT).codes().health(ended)).isEqualTo(FailureCodes.Health.BAD);
    }

    /** A replica, and a server on which an administrator has forbidden writes, each by the code of the driver at hand. */
    @ParameterizedTest
    @ValueSource(ints = {1290, 1836, 1792})
    void leavesAServerOfMySqlThatIsReadOnly(int code) {
        SQLException refused = new SQLException("the server runs with read_only", "HY000", code);
        Dialect dialect = new MySql("MySQL", Tables.DEFAULT, false);
        assertThat(dialect.verdict(refused)).isEqualTo(Verdict.NOT_APPLIED);
        assertThat(dialect.codes().health(refused)).isEqualTo(FailureCodes.Health.READ_ONLY);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void knowsNoEffectOfAFailureThatIsNotListed(Dialect dialect) {
        assertThat(dialect.verdict(new SQLException("something", "XY123"))).isEqualTo(Verdict.UNKNOWN);
    }
}
