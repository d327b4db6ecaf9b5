package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.redis.RedisStoreProvider;
import io.lettuce.core.resource.ClientResources;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithPassword;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A client at the Redis of the application. It uses the address, the login and the Lettuce client of the connection factory, and
 * opens connections of its own.
 */
final class RedisOfApplication {

    private RedisOfApplication() {}

    static Optional<HoldfastBuilder> builder(ClientBean bean) {
        LettuceConnectionFactory factory =
                bean.using(LettuceConnectionFactory.class).getIfUnique();
        return Optional.ofNullable(factory).map(one -> builder(one, isShared(one, bean)));
    }

    /**
     * Returns {@code true} if the threads of the factory's client belong to the application. Otherwise the factory stops them,
     * before the client of Holdfast has released its locks.
     */
    private static boolean isShared(LettuceConnectionFactory factory, ClientBean bean) {
        ClientResources own = factory.getClientResources();
        return own != null && bean.using(ClientResources.class).stream().anyMatch(shared -> shared == own);
    }

    private static HoldfastBuilder builder(LettuceConnectionFactory factory, boolean shared) {
        HoldfastBuilder builder = Holdfast.builder().uri(uri(factory));
        return shared ? builder.provider(RedisStoreProvider.using(factory.getRequiredNativeClient())) : builder;
    }

    static String uri(LettuceConnectionFactory factory) {
        String scheme = factory.isUseSsl() ? "rediss" : "redis";
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
        if (cluster != null) {
            return scheme + "-cluster://" + login(cluster) + nodes(cluster.getClusterNodes());
        }
        requireServer(factory, sentinels);
        return sentinels != null
                ? scheme + "-sentinel://" + login(sentinels) + nodes(sentinels.getSentinels()) + "/" + master(sentinels)
                        + "/" + factory.getDatabase() + sentinelPassword(sentinels)
                : scheme + "://" + login(factory.getStandaloneConfiguration()) + host(factory.getHostName()) + ":"
                        + factory.getPort() + "/" + factory.getDatabase();
    }

    /**
     * Refuses a configuration without a single address, such as a socket or a fixed master with replicas. The factory itself
     * would report the address {@code localhost:6379} for it.
     */
    private static void requireServer(
            LettuceConnectionFactory factory, @Nullable RedisSentinelConfiguration sentinels) {
        Object configuration = new DirectFieldAccessor(factory).getPropertyValue("configuration");
        if (sentinels == null && !(configuration instanceof RedisStandaloneConfiguration)) {
            throw new IllegalArgumentException("the Redis connection of the application has a "
                    + (configuration == null
                            ? "configuration"
                            : configuration.getClass().getSimpleName())
                    + ", from which no address for locks follows; set holdfast.uri");
        }
    }

    private static @Nullable String master(RedisSentinelConfiguration sentinels) {
        return sentinels.getMaster() == null ? "" : sentinels.getMaster().getName();
    }

    private static String sentinelPassword(RedisSentinelConfiguration sentinels) {
        return sentinels
                .getSentinelPassword()
                .toOptional()
                .map(password -> "?sentinel-password=" + encoded(new String(password)))
                .orElse("");
    }

    private static String login(WithPassword login) {
        String user = login.getUsername();
        RedisPassword password = login.getPassword();
        return password.isPresent()
                ? encoded(user == null ? "" : user) + ":" + encoded(new String(password.get())) + "@"
                : "";
    }

    private static String nodes(Iterable<RedisNode> nodes) {
        List<String> places = new ArrayList<>();
        nodes.forEach(node -> places.add(host(node.getHost() + "") + ":" + node.getPort()));
        return String.join(",", places);
    }

    private static String host(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
