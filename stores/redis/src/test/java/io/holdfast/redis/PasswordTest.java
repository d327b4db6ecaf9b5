package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.connection.RedisAddress;
import io.holdfast.testkit.check.Passwords;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No text shows a part of a password, however it is written. */
class PasswordTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "redis ://:PW@host",
                "redis ://user:PW@host:7000/3?interop=redisson",
                "redis ://PW@host",
                "redis ://PW@host?no-such-option=1",
                "redis ://user:PW@host?interop=none",
                "redis ://user:PW@host:port",
                "redis :user:PW@host",
                "redis :PW@host",
                "rediss ://:PW@host?ca=/no/such/file",
                "rediss ://PW@host",
                "redis-sentinel ://:PW@a,b:7/m",
                "redis-sentinel ://user:PW@a,user:PW@b/m",
                "redis-sentinel ://PW@a/m?x=1",
                "redis-sentinel ://a,b/m?sentinel-password=PW",
                "redis-sentinel ://:PW@a,b/m?sentinel-password=PW",
                "rediss-sentinel ://u:PW@a",
                "redis-cluster ://:PW@a,b:7000",
                "redis-cluster ://PW@a?interop=redisson",
                "rediss-cluster ://u:PW@a,b?ca=/no/such/file"
            })
    void noTextShowsAPassword(String scheme, String rest) {
        AtomicInteger understood = new AtomicInteger();
        Passwords.all().forEach(password -> {
            try {
                String shown = RedisAddress.parse(scheme + rest.replace("PW", password))
                        .toString();
                understood.incrementAndGet();
                Passwords.requireHidden(password, shown);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("not a Redis URI: '" + scheme + ":");
                Passwords.requireHidden(password, e);
            }
        });
        assertThat(understood.get()).isLessThan((int) Passwords.all().count());
    }
}
