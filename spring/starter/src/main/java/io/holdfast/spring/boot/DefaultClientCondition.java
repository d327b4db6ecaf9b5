package io.holdfast.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless an application names its clients, gives the default client no URI, and has no store of its own. If it has one,
 * the default client must not depend on whether there are further clients.
 */
final class DefaultClientCondition implements ConfigurationCondition {

    /** Beans of auto-configurations, such as the Redis connection, exist only then. */
    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        return environment.containsProperty("holdfast.uri")
                || NamedClients.in(environment).isEmpty()
                || hasStore(context.getBeanFactory());
    }

    private static boolean hasStore(@Nullable ConfigurableListableBeanFactory beans) {
        return beans != null && new Stores(beans).areInApplication();
    }
}
