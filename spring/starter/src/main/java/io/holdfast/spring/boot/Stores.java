package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.spring.HoldfastConnectionDetails;
import java.util.Arrays;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Finds the store of the default client: by details, by property, or by the Redis connection or data source of the application. */
final class Stores {

    private final ListableBeanFactory beans;

    Stores(ListableBeanFactory beans) {
        this.beans = beans;
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
        return Optional.ofNullable(
                        beans.getBeanProvider(HoldfastConnectionDetails.class).getIfUnique())
                .map(HoldfastConnectionDetails::uri);
    }

    private Optional<HoldfastBuilder> redis() {
        return hasRedis() ? RedisOfApplication.builder(beans) : Optional.empty();
    }

    private Optional<HoldfastBuilder> dataSource() {
        return hasJdbc() ? DataSourceOfApplication.builder(beans) : Optional.empty();
    }

    /** Returns {@code true} if the application has exactly one bean that says which store to use. Creates no bean. */
    boolean areInApplication() {
        return isOne(HoldfastConnectionDetails.class)
                || (hasRedis() && RedisOfApplication.isOne(this))
                || (hasJdbc() && DataSourceOfApplication.isOne(this));
    }

    /** Returns {@code true} if there is one bean of the type, or one of several is the primary one. */
    boolean isOne(Class<?> type) {
        String[] names = beans.getBeanNamesForType(type, true, false);
        return names.length == 1 || Arrays.stream(names).anyMatch(this::isPrimary);
    }

    private boolean isPrimary(String name) {
        return beans instanceof ConfigurableListableBeanFactory factory
                && factory.containsBeanDefinition(name)
                && factory.getBeanDefinition(name).isPrimary();
    }

    private static boolean hasRedis() {
        return isPresent("org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
                && isPresent("io.holdfast.redis.RedisStoreProvider");
    }

    private static boolean hasJdbc() {
        return isPresent("io.holdfast.jdbc.JdbcHoldfast");
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Stores.class.getClassLoader());
    }
}
