package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import io.holdfast.HoldfastException;
import io.holdfast.LockListener;
import io.holdfast.LockObserver;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spring.HoldfastBuilderCustomizer;
import java.util.List;
import org.springframework.core.env.Environment;

/** Creates the clients of an application from their options, and from the beans that listen to them. */
final class ClientFactory {

    private final ClientBean bean;
    private final Environment environment;

    ClientFactory(ClientBean bean, Environment environment) {
        this.bean = bean;
        this.environment = environment;
    }

    /**
     * Creates a client.
     *
     * @param name the name of the client; empty for the default client
     * @param builder a builder with the store of the client
     * @throws ClientStartException if an option is invalid, or if the store cannot be used
     */
    Holdfast create(String name, ClientOptions options, HoldfastBuilder builder) {
        String prefix = prefix(name);
        try {
            var unused = options.applyTo(named(builder));
        } catch (IllegalArgumentException e) {
            throw new ClientStartException(prefix + e.getMessage(), "Correct the property.", e);
        }
        bean.using(LockListener.class).orderedStream().forEach(listener -> {
            var unused = builder.listener(listener);
        });
        bean.using(HoldfastBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(name, builder));
        // first, because one that cannot be created would leave a client that nobody closes
        List<LockObserver> observers =
                bean.using(LockObserver.class).orderedStream().toList();
        Holdfast client = build(name, builder);
        observers.forEach(client::addObserver);
        return client;
    }

    private static Holdfast build(String name, HoldfastBuilder builder) {
        String uri = prefix(name) + "uri";
        String what = "The client of " + uri + " was not created: ";
        try {
            return builder.build();
        } catch (StoreUnavailableException e) {
            throw new ClientStartException(
                    what + e.getMessage(),
                    "Start the store, or correct " + uri + " or the connection of the application. If " + prefix(name)
                            + "lazy is true, the client connects at its first call instead.",
                    e);
        } catch (HoldfastException | IllegalArgumentException | IllegalStateException e) {
            throw new ClientStartException(what + e.getMessage(), "Correct " + uri + " or the class path.", e);
        }
    }

    private static String prefix(String name) {
        return name.isEmpty() ? "holdfast." : "holdfast.clients." + name + ".";
    }

    /** Names the client like the application, if that is a valid name of a client. */
    private HoldfastBuilder named(HoldfastBuilder builder) {
        String application = environment.getProperty("spring.application.name", "");
        return application.matches("[!-~]{1,100}") ? builder.name(application) : builder;
    }
}
