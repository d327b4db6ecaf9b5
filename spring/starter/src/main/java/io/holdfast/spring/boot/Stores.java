package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.spring.HoldfastConnectionDetails;
import java.util.Optional;
import org.springframework.util.ClassUtils;

/** Finds the store of the default client: by details, by property, or by the Redis connection or data source of the application. */
final class Stores {

    private final ClientBean bean;

    Stores(ClientBean bean) {
        this.bean = bean;
    }

    HoldfastBuilder builder(ClientOptions options) {
        return details()
                .or(() -> Optional.ofNullable(options.uri()).filter(uri -> !uri.isBlank()))
                .map(uri -> Holdfast.builder().uri(uri))
                .or(this::redis)
                .or(this::dataSource)
                .orElseThrow(NoStoreException::new);
    }

    private Optional<String> details() {
        return Optional.ofNullable(bean.using(HoldfastConnectionDetails.class).getIfUnique())
                .map(HoldfastConnectionDetails::uri);
    }

    private Optional<HoldfastBuilder> redis() {
        return isPresent("org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
                        && isPresent("io.holdfast.redis.RedisStoreProvider")
                ? RedisOfApplication.builder(bean)
                : Optional.empty();
    }

    private Optional<HoldfastBuilder> dataSource() {
        return isPresent("io.holdfast.jdbc.JdbcHoldfast") ? DataSourceOfApplication.builder(bean) : Optional.empty();
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Stores.class.getClassLoader());
    }
}
