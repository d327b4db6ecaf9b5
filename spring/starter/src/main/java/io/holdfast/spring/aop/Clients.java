package io.holdfast.spring.aop;

import io.holdfast.Holdfast;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The clients of an application, by qualifier; empty for the default client. Each is looked up once, because a search for a bean
 * at each call of a method would cost more than a handoff of the lock.
 */
public final class Clients {

    private final Function<String, Holdfast> lookup;
    private final Function<String, Optional<String>> missing;
    private final Map<String, Holdfast> found = new ConcurrentHashMap<>();

    /**
     * Creates the clients of an application, of which none was looked up yet.
     *
     * @param missing says for a qualifier that no client has, which there are. It creates no bean
     */
    public Clients(Function<String, Holdfast> lookup, Function<String, Optional<String>> missing) {
        this.lookup = lookup;
        this.missing = missing;
    }

    /**
     * Returns the qualifier that an annotation names.
     *
     * @throws InvalidAnnotationException if no client has it
     */
    String named(Attributes attributes, String client) {
        String qualifier = attributes.text("client", client);
        Optional.of(qualifier).filter(text -> !text.isEmpty()).flatMap(missing).ifPresent(text -> {
            throw attributes.invalid("client", text);
        });
        return qualifier;
    }

    Holdfast apply(String qualifier) {
        return found.computeIfAbsent(qualifier, lookup);
    }
}
