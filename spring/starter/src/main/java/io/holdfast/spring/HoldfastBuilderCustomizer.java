package io.holdfast.spring;

import io.holdfast.HoldfastBuilder;

/**
 * Sets options of a client that are not properties. All beans of this type are called in their order, after the properties were
 * applied.
 */
@FunctionalInterface
public interface HoldfastBuilderCustomizer {

    /**
     * Sets options.
     *
     * @param client the name of the client: empty for {@code holdfast.uri}, {@code NAME} for {@code holdfast.clients.NAME}
     */
    void customize(String client, HoldfastBuilder builder);
}
