package io.holdfast.spring.aop;

import io.holdfast.Holdfast;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The clients of an application, by qualifier; empty for the default client. Each is looked up once, because a search for a bean
 * at each call of a method would cost more than a handoff of the lock.
 */
public final class Clients {

    private final Function<String, Holdfast> lookup;
    private final Map<String, Holdfast> found = new ConcurrentHashMap<>();

    /** Creates the clients of an application, of which none was looked up yet. */
    public Clients(Function<String, Holdfast> lookup) {
        this.lookup = lookup;
    }

    Holdfast apply(String qualifier) {
        return found.computeIfAbsent(qualifier, lookup);
    }
}
