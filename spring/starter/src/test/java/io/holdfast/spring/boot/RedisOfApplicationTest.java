package io.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The address of a connection factory, as a URI of Holdfast. */
class RedisOfApplicationTest {

    @Test
    void aServer() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis.example.com", 6380);
        server.setUsername("shop");
        server.setPassword("p@ss/w:rd +");
        server.setDatabase(3);
        assertThat(RedisOfApplication.uri(new LettuceConnectionFactory(server)))
                .isEqualTo("redis://shop:p%40ss%2Fw%3Ard%20%2B@redis.example.com:6380/3");
    }

    @Test
    void aServerWithTlsAndAnAddressOfIpv6() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("::1", 6379);
        assertThat(RedisOfApplication.uri(new LettuceConnectionFactory(
                        server, LettuceClientConfiguration.builder().useSsl().build())))
                .isEqualTo("rediss://[::1]:6379/0");
    }

    @Test
    void sentinels() {
        RedisSentinelConfiguration sentinels =
                new RedisSentinelConfiguration().master("main").sentinel("a", 1).sentinel("b", 2);
        sentinels.setPassword("x");
        sentinels.setSentinelPassword("y");
        assertThat(RedisOfApplication.uri(new LettuceConnectionFactory(sentinels)))
                .isIn(
                        "redis-sentinel://:x@a:1,b:2/main/0?sentinel-password=y",
                        "redis-sentinel://:x@b:2,a:1/main/0?sentinel-password=y");
    }

    /** The factory itself reports localhost for these. */
    @Test
    void aConfigurationWithoutASingleAddressIsRefused() {
        assertThatThrownBy(() -> RedisOfApplication.uri(
                        new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("redis-a.example.com"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RedisStaticMasterReplicaConfiguration")
                .hasMessageContaining("set holdfast.uri");
        assertThatThrownBy(() -> RedisOfApplication.uri(
                        new LettuceConnectionFactory(new RedisSocketConfiguration("/run/redis.sock"))))
                .hasMessageContaining("RedisSocketConfiguration");
    }

    @Test
    void aCluster() {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("a:1", "b:2"));
        assertThat(RedisOfApplication.uri(new LettuceConnectionFactory(cluster)))
                .isEqualTo("redis-cluster://a:1,b:2");
    }
}
