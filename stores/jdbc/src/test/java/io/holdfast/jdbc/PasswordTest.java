package io.holdfast.jdbc;

import io.holdfast.testkit.check.Passwords;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No text shows a part of a password, however it is written. */
class PasswordTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:tcp://u:PW@host/locks",
                "jdbc:h2:tcp://PW@host:9092/locks;USER=me",
                "jdbc:h2:ssl://u:PW@host",
                "jdbc:h2:tcp://host/locks;USER=me;PASSWORD=PW",
                "jdbc:h2:mem:locks;PASSWORD=PW;WRITE_DELAY=1",
                "jdbc:h2:/data/locks;PASSWORD=PW",
                "jdbc:h2:locks;PASSWORD=PW",
                "jdbc:h2:;PASSWORD=PW",
                "jdbc:mysql://u:PW@host/locks",
                "jdbc:mysql://PW@host/locks?user=me",
                "jdbc:mariadb://u:PW@host:3306/locks?sslMode=trust",
                "jdbc:mariadb://host/locks?user=me&password=PW&autoReconnect=true",
                "jdbc:postgresql://host/locks?user=me&password=PW",
                "jdbc:postgresql://host/locks?user=me@server&password=PW&sweepAfter=PW",
                "jdbc:postgresql://u:PW",
                "jdbc:mysql://host/db&user=bob&password=PW",
                "jdbc:postgresql://host/db;user=bob;password=PW",
                "jdbc:mysql://address=(host=h)(user=bob)(password=PW)/db",
                "jdbc:mysql://(host=h,user=bob,password=PW)/db",
                "jdbc:postgresql:locks?password=PW",
                "jdbc:oracle:thin:me/PW@host:1521:locks",
                "jdbc:PW"
            })
    void noTextShowsAPassword(String url) {
        Passwords.all().forEach(password -> {
            try {
                Address address = Address.parse(url.replace("PW", password), Duration.ofSeconds(2));
                Passwords.requireHidden(password, address.toString());
            } catch (IllegalArgumentException e) {
                Passwords.requireHidden(password, e);
            }
        });
    }
}
