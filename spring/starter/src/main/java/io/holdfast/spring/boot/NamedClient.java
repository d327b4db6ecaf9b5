package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/** One client of {@code holdfast.clients}, from the creation of its bean to its destruction. */
final class NamedClient implements FactoryBean<Holdfast>, InitializingBean, DisposableBean {

    private final String name;
    private final HoldfastProperties properties;
    private final ClientFactory factory;
    private @Nullable Holdfast client;

    NamedClient(
            String name,
            HoldfastProperties properties,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        this.name = name;
        this.properties = properties;
        this.factory = new ClientFactory(new ClientBean(beans, NamedClients.bean(name)), environment);
    }

    @Override
    public void afterPropertiesSet() {
        ClientOptions options = Objects.requireNonNull(properties.clients().get(name), name);
        String uri = options.uri();
        if (uri == null) {
            throw new ClientStartException(
                    "holdfast.clients." + name + ".uri is not set; a further client needs a store of its own",
                    "Set it, for example to redis://localhost:6379.",
                    new IllegalArgumentException("no uri"));
        }
        client = factory.create(name, options, Holdfast.builder().uri(uri));
    }

    @Override
    public Holdfast getObject() {
        return Objects.requireNonNull(client);
    }

    @Override
    public Class<?> getObjectType() {
        return Holdfast.class;
    }

    @Override
    public void destroy() {
        if (client != null) {
            client.close();
        }
    }
}
