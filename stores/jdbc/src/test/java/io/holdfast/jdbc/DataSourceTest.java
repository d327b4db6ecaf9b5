package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.StoreUnavailableException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data sources that are refused. */
class DataSourceTest {

    @Test
    void anotherProduct() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcHoldfast.connect(Sources.ofProduct("Apache Derby", "jdbc:derby:memory:x")))
                .withMessage(
                        "the DataSource connects to Apache Derby; supported are PostgreSQL, MySQL, MariaDB and H2");
    }

    @Test
    void aDriverThatRepeatsStatements() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcHoldfast.connect(
                        Sources.ofProduct("MySQL", "jdbc:mysql://host/db?user=x&autoReconnect=true")))
                .withMessageContaining("autoReconnect in the URL would send a statement again");
    }

    @Test
    void aClientThatIsLazy() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcHoldfast.builder(Sources.ofProduct("H2", "jdbc:h2:mem:x"))
                        .lazy()
                        .build())
                .withMessageContaining("cannot be lazy");
    }

    @Test
    void aUriWithSettingsOfADriver() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcHoldfast.builder(Sources.ofProduct("H2", "jdbc:h2:mem:x"))
                        .uri("jdbc:datasource?tablePrefix=a_&password=secret")
                        .build())
                .withMessageContaining("set the others at the DataSource")
                .withMessageNotContaining("secret");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcHoldfast.builder(Sources.ofProduct("H2", "jdbc:h2:mem:x"))
                        .uri("jdbc:h2:mem:x;PASSWORD=secret")
                        .build())
                .withMessageContaining("the form for a DataSource is jdbc:datasource?tablePrefix=...")
                .withMessageNotContaining("secret");
    }

    @Test
    void oneThatFailsIsNotAvailableAfterSeveralAttempts() {
        AtomicInteger attempts = new AtomicInteger();
        HoldfastBuilder builder = JdbcHoldfast.builder(Sources.of(() -> {
                    attempts.incrementAndGet();
                    throw new SQLException("no route", "08001");
                }))
                .connectTimeout(Duration.ofSeconds(2));
        assertThatThrownBy(builder::build)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll("the DataSource", "connect", "no route");
        assertThat(attempts).hasValueGreaterThan(1);
    }

    /** The second state is that of H2 if the process that has served its file has ended. */
    @ParameterizedTest
    @ValueSource(strings = {"57P03", "90067"})
    void oneThatFailsAtFirstIsAskedAgain(String state) {
        AtomicInteger failing = new AtomicInteger(3);
        DataSource h2 = Sources.of(() -> {
            if (failing.getAndDecrement() > 0) {
                throw new SQLException("it is starting up", state);
            }
            return DriverManager.getConnection("jdbc:h2:mem:starting");
        });
        try (Holdfast client = JdbcHoldfast.connect(h2)) {
            assertThat(client.lock("starting").tryLock()).isTrue();
            client.lock("starting").unlock();
        }
    }
}
