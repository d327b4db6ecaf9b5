package io.holdfast.micrometer;

import java.util.Collection;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A function from the name of a lock to the value of the tag {@code name}.
 *
 * <p>The name of a lock often contains the id of a record, and a meter for each record would exhaust the memory of the registry
 * (high cardinality). So meters have the tag only if such a function is given, and its values should be few.
 */
@FunctionalInterface
public interface LockNames {

    /** The value of the tag for all names that are not listed. */
    String OTHER = "other";

    /** Returns the value of the tag for the name of a lock. */
    String tag(String name);

    /** Returns a function that keeps the given names, and maps all others to {@value #OTHER}. */
    static LockNames only(Collection<String> names) {
        Set<String> kept = Set.copyOf(names);
        return name -> kept.contains(name) ? name : OTHER;
    }

    /**
     * Returns a function that keeps the text before the first of the given characters: with {@code '/'}, {@code orders/42}
     * becomes {@code orders}. A name without the character is kept.
     */
    static LockNames before(char separator) {
        UnaryOperator<String> prefix = name -> name.substring(0, name.indexOf(separator));
        return name -> name.indexOf(separator) < 0 ? name : prefix.apply(name);
    }
}
