package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LockReport;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.check.Passwords;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No text shows a password that is in the URI of a store. */
@Tag("slow")
class StorePasswordTest {

    @ParameterizedTest
    @CsvSource({
        "redis://host, redis://host",
        "redis://user:secret@host:7000/3, redis://***@host:7000/3",
        "redis://:top@secret@host, redis://***@host",
        "redis://:top?secret@host, redis://***",
        "redis://:secret@host?option=secret, redis://***@host?***",
        "redis://host?option=top@secret, redis://***",
        "redis://:secret, redis://:***",
        "redis://user:secret/3, redis://user:***",
        "redis://[::1]:7, redis://[::1]:7",
        "redis:user:secret@host, redis:***@host",
        "jdbc:h2:mem:locks, jdbc:h2:mem:locks",
        "jdbc:h2:C:/locks;PASSWORD=secret, jdbc:h2:C:/locks;***",
        "jdbc:h2:tcp://u:secret@host/locks, jdbc:h2:tcp://***@host/locks",
        "jdbc:h2:tcp://host:9092/locks, jdbc:h2:tcp://host:9092/locks",
        "secret@host, ***@host"
    })
    void aUriIsShownWithoutSecrets(String uri, String shown) {
        assertThat(StoreUri.masked(uri)).isEqualTo(shown);
        assertThat(StoreConfig.of(uri, LockReport.Client.unknown("id"), Platform.system())
                        .toString())
                .contains(shown)
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PW@host",
                ":PW@host",
                "//user:PW@host",
                "user:PW@host",
                "redi://user:PW@host",
                "mongodb://PW@host?password=PW",
                "mongodb://host?password=PW"
            })
    void noTextShowsAPassword(String uri) {
        Passwords.all().forEach(password -> {
            String given = uri.replace("PW", password);
            try (Holdfast unexpected = Holdfast.connect(given)) {
                throw new AssertionError(given + " leads to " + unexpected);
            } catch (IllegalArgumentException e) {
                Passwords.requireHidden(password, e);
            }
        });
    }
}
