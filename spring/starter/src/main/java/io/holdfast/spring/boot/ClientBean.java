package io.holdfast.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The bean of one client, which finds other beans by their types.
 *
 * @param name its name
 */
record ClientBean(ConfigurableListableBeanFactory beans, String name) {

    /** The bean of the default client. */
    static final String DEFAULT = "holdfast";

    /** Returns the beans of a type. The client depends on them, as if they were injected, so it is destroyed before them. */
    <T> ObjectProvider<T> using(Class<T> type) {
        for (String each : beans.getBeanNamesForType(type, true, false)) {
            beans.registerDependentBean(each, name);
        }
        return beans.getBeanProvider(type);
    }
}
