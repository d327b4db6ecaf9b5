package io.holdfast.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A lock, a semaphore or a latch, in the forms for people and for programs. */
interface Shown {

    String name();

    /** Returns the row for a table, with the columns of {@link Table#HEADINGS}. */
    List<String> row();

    /** Returns the lines for a user who asked for this name. */
    List<String> details();

    /** Returns the JSON form. Tokens are texts, because many JSON readers round such large numbers. */
    Map<String, @Nullable Object> asMap();
}
