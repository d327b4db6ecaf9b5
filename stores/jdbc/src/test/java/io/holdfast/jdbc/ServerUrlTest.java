package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The URLs of PostgreSQL, MySQL and MariaDB. */
class ServerUrlTest {

    private static final String MYSQL_ADDED =
            "connectTimeout=1500&socketTimeout=3500&useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSqlLimit=2048";

    private static Address parse(String text) {
        return Address.parse(text, Duration.ofMillis(1_500));
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://host/locks,"
                + "?connectTimeout=2&socketTimeout=2&tcpKeepAlive=true&ApplicationName=holdfast",
        "jdbc:postgresql://host/locks?user=me&socketTimeout=9&tcpKeepAlive=false,"
                + "&connectTimeout=2&ApplicationName=holdfast",
        "jdbc:mysql://host:3306/locks?user=me,&" + MYSQL_ADDED,
        "jdbc:mariadb://host/locks,?" + MYSQL_ADDED
    })
    void waitsAreLimitedUnlessTheUrlDoesIt(String text, String added) {
        assertThat(parse(text).url()).isEqualTo(text + added);
    }

    @ParameterizedTest
    @CsvSource({
        "?sweepAfter=1d, ?connectTimeout",
        "?sweepAfter=1d&user=me, ?user=me&connectTimeout",
        "?user=me&sweepAfter=1d, ?user=me&connectTimeout",
        "?user=me&tablePrefix=app.hf_&signals=look&createTables=false&password=a, ?user=me&password=a&connectTimeout"
    })
    void settingsOfTheStoreAreNotPassedToTheDriver(String settings, String passed) {
        assertThat(parse("jdbc:postgresql://host/locks" + settings).url())
                .startsWith("jdbc:postgresql://host/locks" + passed);
    }

    @Test
    void settingsOfTheStoreAreRead() {
        StoreSettings settings = parse("jdbc:postgresql://host/locks?sweepAfter=1d&tablePrefix=app.hf_&signals=look"
                        + "&createTables=false&sweep_after=2h")
                .settings();
        assertThat(settings.sweepAfter()).isEqualTo(Duration.ofHours(2));
        assertThat(settings.tables().locks()).isEqualTo("app.hf_locks");
        assertThat(settings.listens()).isFalse();
        assertThat(settings.createsTables()).isFalse();
        assertThat(parse("jdbc:postgresql://host/locks").settings()).isEqualTo(StoreSettings.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({
        "sweepAfter=1m, sweepAfter is not understood: 1h to 365d",
        "tablePrefix=a;b, 'tablePrefix is not understood: letters, digits and ''_'''",
        "tablePrefix=, tablePrefix is not understood",
        "signals=on, signals is not understood: it is listen or look",
        "createTables=1, createTables is not understood: it is false or true"
    })
    void aSettingOfTheStoreThatIsNotUnderstoodIsRefused(String setting, String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("jdbc:mysql://host/locks?user=me&" + setting))
                .withMessageStartingWith(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql:locks",
                "jdbc:postgresql://host",
                "jdbc:postgresql://host/",
                "jdbc:mysql://me:secret@host/locks",
                "jdbc:mysql:loadbalance://host/locks",
                "jdbc:mysql://host/locks&password=secret",
                "jdbc:mysql://(host=h,password=secret)/locks",
                "jdbc:postgresql://host/locks;password=secret",
                "jdbc:mysql://host:port/locks",
                "jdbc:mariadb://host/locks?secret",
                "jdbc:mariadb://host/locks/more"
            })
    void anotherFormIsRefusedWithoutItsPassword(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContaining("is not understood; the form is jdbc:")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:mysql://h/d?autoReconnect=true", "jdbc:mariadb://h/d?user=a&TransactionReplay=TRUE"})
    void aDriverMayNotSendAStatementAgain(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContaining("would send a statement again whose answer was lost");
    }

    @Test
    void aPasswordMayEndInAQuestionMark() {
        assertThat(parse("jdbc:postgresql://host/locks?user=a&password=abc?").url())
                .contains("&password=abc?&connectTimeout");
    }

    @Test
    void aDriverMayNotChangeTheHostByItself() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("jdbc:mysql://one,two/locks"))
                .withMessageContaining("between which the driver changes by itself");
        assertThat(parse("jdbc:mariadb://one,two/locks")).hasToString("jdbc:mariadb://one,two/locks");
    }

    @Test
    void severalHostsAreAForm() {
        String text = "jdbc:postgresql://one:5432,[::1]:5433/locks";
        assertThat(parse(text + "?autoReconnect=false")).hasToString(text);
    }
}
