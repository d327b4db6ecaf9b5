package io.holdfast.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.redis.RedisStoreProvider;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

    @Test
    void theWholeForm() {
        RedisURI uri = RedisAddress.parse("rediss://user:p%40s:s%2Fw%25rd+@my_host:7000/3")
                .uri();
        assertThat(uri.isSsl()).isTrue();
        assertThat(uri.isVerifyPeer()).isTrue();
        assertThat(uri.getHost()).isEqualTo("my_host");
        assertThat(uri.getPort()).isEqualTo(7000);
        assertThat(uri.getDatabase()).isEqualTo(3);
        assertThat(login(uri).getUsername()).isEqualTo("user");
        assertThat(login(uri).getPassword()).isEqualTo("p@s:s/w%rd+".toCharArray());
    }

    private static RedisCredentials login(RedisURI uri) {
        return uri.getCredentialsProvider().resolveCredentials().block();
    }

    @Test
    void defaults() {
        assertThat(RedisAddress.parse("redis://h")).hasToString("redis://h:6379");
        assertThat(RedisAddress.parse("redis://my_host")).hasToString("redis://my_host:6379");
        assertThat(RedisAddress.parse("redis://h/")).hasToString("redis://h:6379");
        assertThat(login(RedisAddress.parse("redis://:pw@h").uri()).getPassword())
                .isEqualTo("pw".toCharArray());
        assertThat(login(RedisAddress.parse("redis://pw@my_h:1").uri()).getPassword())
                .isEqualTo("pw".toCharArray());
        assertThat(login(RedisAddress.parse("redis://h").uri()).hasPassword()).isFalse();
    }

    @Test
    void valkeyIsAnAliasOfRedis() {
        assertThat(RedisAddress.parse("valkey://u:p@h:1/2")).hasToString("redis://h:1/2");
        assertThat(RedisAddress.parse("valkeys://h")).hasToString("rediss://h:6379");
        assertThat(new RedisStoreProvider().schemes()).contains("valkey", "valkeys");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.parse("valkey://u:secret@h:x"))
                .withMessageContaining("not a Redis URI: 'valkey://***@h:x'");
    }

    @Test
    void ipv6() {
        RedisAddress address = RedisAddress.parse("redis://[::1]:7/2");
        assertThat(address.uri().getHost()).isEqualTo("::1");
        assertThat(address).hasToString("redis://[::1]:7/2");
    }

    @Test
    void besideRedisson() {
        RedisAddress address = RedisAddress.parse("redis://u:p@my_h:1/2?interop=redisson");
        assertThat(address.besideRedisson()).isTrue();
        assertThat(address).hasToString("redis://my_h:1/2");
        assertThat(address.uri().getTimeout()).isEqualTo(RedisURI.DEFAULT_TIMEOUT_DURATION);
        assertThat(RedisAddress.parse("redis://h?interop=redisson").besideRedisson())
                .isTrue();
        assertThat(RedisAddress.parse("redis://h").besideRedisson()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "redis://u:pw@h/0?ssl=topsecret, there is no option 'ssl'; the only one is interop=redisson",
        "redis://h?Interop=redisson, there is no option 'Interop'; the only one is interop=redisson",
        "redis://h?, there is no option ''; the only one is interop=redisson",
        "redis://h?interop=redison, the option interop cannot be 'redison'; the only value is redisson",
        "redis://h?interop, the option interop cannot be ''; the only value is redisson",
        "redis://h?interop=redisson&a=b, there is no option 'a'; the only one is interop=redisson",
        "redis://h?sentinel-password=topsecret, there is no option 'sentinel-password'; the only one is interop=redisson"
    })
    void anUnknownOptionIsRefusedWithTheRightOne(String uri, String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.parse(uri))
                .withMessageContaining("not a Redis URI: 'redis://")
                .withMessageContaining("?***'; " + text)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("pw", "topsecret"));
    }

    @Test
    void isShownWithoutUserAndPassword() {
        assertThat(RedisAddress.parse("redis://user:secret@h:1/2")).hasToString("redis://h:1/2");
        assertThat(RedisAddress.parse("rediss://secret@my_h")).hasToString("rediss://my_h:6379");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:host",
                "redis://",
                "redis://:secret@",
                "redis://u:secret@h:port",
                "redis://u:secret@h:0",
                "redis://u:secret@h:70000",
                "redis://u:secret@my_h:70000",
                "redis://u:secret@h/x",
                "redis://u:secret@h/0?ssl=true",
                "redis://u:secret%zz@h",
                "redis://u:sec#secret@h",
                "redis://u:sec/secret@h",
                "redis://u:secret@a b",
                "redis://u:secret@h1,h2",
                "redis://:secret@secret@h:7000",
                "redis://u:secret@[h1,h2]"
            })
    void whatIsNotUnderstoodIsRefusedWithoutThePassword(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.parse(uri))
                .withMessageContaining("not a Redis URI")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @Test
    void sentinels() {
        RedisAddress address =
                RedisAddress.parse("rediss-sentinel://u:p%40w@my_a,b:7,[::1]:8/my.master-1/3?sentinel-password=s%2Fp");
        assertThat(address).hasToString("rediss-sentinel://my_a:26379,b:7,[::1]:8/my.master-1/3");
        assertThat(login(address.uri()).getPassword()).isEqualTo("p@w".toCharArray());
        assertThat(address.uri().isSsl()).isTrue();
        assertThat(address.uri().getDatabase()).isEqualTo(3);
        RedisAddress.Group group = address.group().orElseThrow();
        assertThat(group.master()).isEqualTo("my.master-1");
        assertThat(group.sentinels()).extracting(RedisURI::getHost).containsExactly("my_a", "b", "::1");
        assertThat(group.sentinels())
                .allMatch(RedisURI::isSsl)
                .allSatisfy(
                        sentinel -> assertThat(login(sentinel).getPassword()).isEqualTo("s/p".toCharArray()));
    }

    @Test
    void sentinelsWithoutMore() {
        RedisAddress address = RedisAddress.parse("redis-sentinel://a/m?interop=redisson");
        assertThat(address).hasToString("redis-sentinel://a:26379/m");
        assertThat(address.besideRedisson()).isTrue();
        assertThat(login(address.group().orElseThrow().sentinels().get(0)).hasPassword())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-sentinel://u:secret@a,b",
                "redis-sentinel://u:secret@a,b/",
                "redis-sentinel://u:secret@a,b/0/1/2",
                "redis-sentinel://u:secret@a,,b/m",
                "redis-sentinel://u:secret@a:0/m",
                "redis-sentinel://u:secret@a/m%20m",
                "redis-sentinel://a/m?sentinel-password=secret%zz",
                "redis-sentinel://a,b:7/m?sentinel-password=p@secret",
                "redis-sentinel://a/m?sentinel-password=top&secret",
                "redis-sentinel://u:secret@h1:26379,u:secret@h2:26379/m",
                "redis-sentinel://u:secret@[a,b]/m",
                "redis-sentinel://a/m?password=secret"
            })
    void whatNamesNoMasterIsRefusedWithoutThePassword(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisAddress.parse(uri))
                .withMessageContaining("not a Redis URI")
                .withMessageContaining("the form is redis-sentinel://[user:password@]host[:port],host[:port].../MASTER")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }
}
