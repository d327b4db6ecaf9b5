package io.holdfast.spring.integration;

import java.util.Objects;
import java.util.function.Function;

/** The names of locks that consist of a prefix and the text of a key. */
final class PrefixedNames implements Function<Object, String> {

    private final String prefix;

    PrefixedNames(String prefix) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    @Override
    public String apply(Object key) {
        String text = String.valueOf(key);
        if (text.equals(textOfIdentity(key))) {
            throw new IllegalArgumentException("lock key " + text + " has another text in each process, because "
                    + key.getClass().getTypeName() + " does not override toString: use a key with a text of its own,"
                    + " or pass a function that gives the locks their names");
        }
        return prefix + text;
    }

    /** Returns what {@link Object#toString} returns. */
    private static String textOfIdentity(Object key) {
        return key.getClass().getName() + "@" + Integer.toHexString(key.hashCode());
    }
}
