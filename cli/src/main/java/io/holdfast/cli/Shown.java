package io.holdfast.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A lock, a semaphore or a latch, as people and as programs read it. */
interface Shown {

    String name();

    /** For a table: what {@link Table#HEADINGS} names. */
    List<String> row();

    /** For one who asked for the name. */
    List<String> details();

    /** For JSON. Tokens are texts, since many readers of JSON round so large a number. */
    Map<String, @Nullable Object> asMap();
}
