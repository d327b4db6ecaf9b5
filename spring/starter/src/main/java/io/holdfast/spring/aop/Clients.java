package io.holdfast.spring.aop;

import io.holdfast.Holdfast;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The clients of an application, by qualifier; empty for the default client. Each is looked up once, because a search for a bean
 * at each call of a method would cost more than a handoff of the lock.
 */
public final class Clients implements SmartInitializingSingleton {

    private final Function<String, Holdfast> lookup;
    private final Map<String, Holdfast> found = new ConcurrentHashMap<>();
    private final Map<String, Attributes> named = new ConcurrentHashMap<>();
    private volatile boolean allBeansExist;

    /** Creates the clients of an application, of which none was looked up yet. */
    public Clients(Function<String, Holdfast> lookup) {
        this.lookup = lookup;
    }

    /**
     * Returns the qualifier that an annotation names. If there is no such client, the start fails when all beans exist.
     *
     * @throws InvalidAnnotationException if all beans exist, and no client has the qualifier
     */
    String named(Attributes attributes, String client) {
        String qualifier = attributes.text("client", client);
        if (!qualifier.isEmpty()) {
            named.put(qualifier, attributes);
            if (allBeansExist) {
                requireExisting(qualifier, attributes);
            }
        }
        return qualifier;
    }

    /** Refuses the first annotation whose client does not exist. */
    @Override
    public void afterSingletonsInstantiated() {
        allBeansExist = true;
        named.forEach(this::requireExisting);
    }

    private void requireExisting(String qualifier, Attributes attributes) {
        try {
            var unused = apply(qualifier);
        } catch (IllegalArgumentException e) {
            throw attributes.invalid("client", e.getMessage() + "");
        }
    }

    Holdfast apply(String qualifier) {
        return found.computeIfAbsent(qualifier, lookup);
    }
}
