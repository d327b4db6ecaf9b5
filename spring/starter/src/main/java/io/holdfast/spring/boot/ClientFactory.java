package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.LockListener;
import io.holdfast.LockObserver;
import io.holdfast.spring.HoldfastBuilderCustomizer;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** Creates the clients of an application from their options, and from the beans that listen to them. */
final class ClientFactory {

    private final ListableBeanFactory beans;
    private final Environment environment;

    ClientFactory(ListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    /**
     * Creates a client.
     *
     * @param name the name of the client; empty for the default client
     * @param builder a builder with the store of the client
     */
    Holdfast create(String name, ClientOptions options, HoldfastBuilder builder) {
        String prefix = name.isEmpty() ? "holdfast." : "holdfast.clients." + name + ".";
        try {
            var unused = options.applyTo(named(builder));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + e.getMessage(), e);
        }
        beans.getBeanProvider(LockListener.class).orderedStream().forEach(listener -> {
            var unused = builder.listener(listener);
        });
        beans.getBeanProvider(HoldfastBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(name, builder));
        Holdfast client = builder.build();
        beans.getBeanProvider(LockObserver.class).orderedStream().forEach(client::addObserver);
        return client;
    }

    /** Names the client like the application, if that is a valid name of a client. */
    private HoldfastBuilder named(HoldfastBuilder builder) {
        String application = environment.getProperty("spring.application.name", "");
        return application.matches("[!-~]{1,100}") ? builder.name(application) : builder;
    }
}
