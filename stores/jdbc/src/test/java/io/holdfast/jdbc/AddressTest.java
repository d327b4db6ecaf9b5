package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {

    private static Address parse(String text) {
        return Address.parse(text, Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:h2:mem:locks, jdbc:h2:mem:locks",
        "jdbc:h2:/data/locks, jdbc:h2:/data/locks;AUTO_SERVER=TRUE;NETWORK_TIMEOUT=2000",
        "jdbc:h2:file:./locks, jdbc:h2:file:./locks;AUTO_SERVER=TRUE;NETWORK_TIMEOUT=2000",
        "jdbc:h2:C:/locks;WRITE_DELAY=0, jdbc:h2:C:/locks;AUTO_SERVER=TRUE;NETWORK_TIMEOUT=2000;WRITE_DELAY=0",
        "jdbc:h2:~/locks;auto_server=false, jdbc:h2:~/locks;NETWORK_TIMEOUT=2000;auto_server=false",
        "jdbc:h2:/data/locks;FILE_LOCK=FS, jdbc:h2:/data/locks;NETWORK_TIMEOUT=2000;FILE_LOCK=FS",
        "jdbc:h2:/data/locks;PASSWORD=a\\, jdbc:h2:/data/locks;AUTO_SERVER=TRUE;NETWORK_TIMEOUT=2000;PASSWORD=a\\",
        "jdbc:h2:tcp://host/locks;USER=me, jdbc:h2:tcp://host/locks;NETWORK_TIMEOUT=2000;USER=me",
        "jdbc:h2:ssl://host/locks;NETWORK_TIMEOUT=9, jdbc:h2:ssl://host/locks;NETWORK_TIMEOUT=9",
        "jdbc:h2:mem:locks;SWEEP_AFTER=1d, jdbc:h2:mem:locks",
        "jdbc:h2:mem:locks;USER=me;sweep_after = 1d ;PASSWORD=a, jdbc:h2:mem:locks;USER=me;PASSWORD=a",
        "jdbc:h2:mem:locks;PASSWORD=a\\;SWEEP_AFTER=b, jdbc:h2:mem:locks;PASSWORD=a\\;SWEEP_AFTER=b"
    })
    void getsWhatSharingAFileNeeds(String text, String url) {
        assertThat(parse(text).url()).isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({"'', 168", ";SWEEP_AFTER=1h, 1", ";SWEEP_AFTER=365d, 8760", ";SWEEP_AFTER=1h;SWEEP_AFTER=2d, 48"})
    void saysWhenAnUnusedNameMayBeSwept(String setting, long hours) {
        assertThat(parse("jdbc:h2:mem:locks" + setting).settings().sweepAfter()).isEqualTo(Duration.ofHours(hours));
    }

    @ParameterizedTest
    @CsvSource({
        "0h, SWEEP_AFTER=0h is out of range: 1h to 365d",
        "366d, SWEEP_AFTER=366d is out of range: 1h to 365d",
        "9999d, SWEEP_AFTER=9999d is out of range",
        "'', SWEEP_AFTER is not understood: 1h to 365d",
        "7, SWEEP_AFTER is not understood",
        "60m, SWEEP_AFTER is not understood",
        "99999d, SWEEP_AFTER is not understood",
        "-1d, SWEEP_AFTER is not understood"
    })
    void refusesATimeForTheSweepThatIsNone(String value, String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("jdbc:h2:mem:locks;SWEEP_AFTER=" + value))
                .withMessageStartingWith(text);
    }

    @Test
    void showsNoSettings() {
        assertThat(parse("jdbc:h2:mem:locks;USER=me;PASSWORD=secret")).hasToString("jdbc:h2:mem:locks");
    }

    @Test
    void refusesAFileThatMayBeInAnyFolder() {
        for (String text : new String[] {"jdbc:h2:locks;PASSWORD=secret", "jdbc:h2:file:data/locks"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse(text))
                    .withMessageContaining("write jdbc:h2:./")
                    .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
        }
    }

    @Test
    void aPasswordMayLookLikeASetting() {
        assertThat(parse("jdbc:h2:mem:locks;PASSWORD=a\\;WRITE_DELAY=s3cret")).hasToString("jdbc:h2:mem:locks");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:tcp://me:secret@host/locks",
                "jdbc:h2:tcp:me:secret@host/locks",
                "jdbc:h2:tcp://me:secret;more@host/locks",
                "jdbc:h2:ssl://secret;more@host/locks",
                "jdbc:h2:tcp://host",
                "jdbc:h2:tcp://host/locks;secret"
            })
    void refusesALoginBeforeTheHostWithoutShowingIt(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContaining("user and password follow the database, as ;USER=...;PASSWORD=...")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @Test
    void aServerIsAHostWithAPort() {
        for (String text :
                new String[] {"tcp://host:9092/~/locks", "tcp:host/locks", "ssl://[::1]:7/x", "tcp://a,b:7/x"}) {
            assertThat(parse("jdbc:h2:" + text + ";USER=a@b")).hasToString("jdbc:h2:" + text);
        }
        assertThat(parse("jdbc:h2:tcp://host/a@b/locks")).hasToString("jdbc:h2:tcp://***@b/locks");
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE_DELAY=500", "write_delay =1", "USER=me;WRITE_DELAY=x", "WRITE_DELAY"})
    void refusesToLoseCommits(String setting) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("jdbc:h2:/data/locks;" + setting))
                .withMessageContainingAll("WRITE_DELAY", "may lose locks");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:", "jdbc:h2: ", "jdbc:h2:;USER=me"})
    void refusesNoName(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContainingAll("names no database", "jdbc:h2:mem:name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:h2:mem:", "jdbc:h2:tcp://host/mem:", "jdbc:h2:ssl:host:1234/mem:;USER=me"})
    void refusesADatabaseOfEachConnection(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContaining("a separate database for each connection");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:db2://host/locks:user=me;password=secret;",
                "jdbc:sqlserver://host;user=me;password=secret",
                "jdbc:oracle:thin:me/secret@host:1521:locks"
            })
    void refusesOtherDatabasesWithoutTheirPasswords(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(text))
                .withMessageContaining("not a database that is supported")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }
}
