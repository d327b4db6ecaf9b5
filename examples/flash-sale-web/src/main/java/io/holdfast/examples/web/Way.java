package io.holdfast.examples.web;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The ways to keep purchases apart, with their names in paths and on the command line. Each has a stock of its own. */
public enum Way {
    /** No lock. */
    NONE("no lock", false),
    /** A key that is set if it is absent, with an expiry. */
    SETNX("lock key with expiry, deleted by any buyer", false),
    /** A method with an annotation. */
    LOCK("a method with @Locked, fenced writes", true),
    /** Parts of the stock with a lock each. */
    SEGMENTED("stock on 8 shelves, a Holdfast lock each, fenced writes", true),
    /** A share of the stock for each instance. */
    ALLOTMENT("a share of the stock for each instance, under a Holdfast lease", true);

    private final String description;
    private final boolean promisesExact;

    Way(String description, boolean promisesExact) {
        this.description = description;
        this.promisesExact = promisesExact;
    }

    /** Returns the name in paths and on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns a short description. */
    public String description() {
        return description;
    }

    /** Returns {@code true} if every item is sold once, whatever happens to instances. */
    public boolean promisesExact() {
        return promisesExact;
    }

    /** Returns the way of that name. */
    public static Optional<Way> of(String label) {
        return Arrays.stream(values()).filter(way -> way.label().equals(label)).findFirst();
    }
}
