package io.holdfast.jdbc.sql;

import java.util.Optional;

/**
 * The tables of the store.
 *
 * @param schema the schema, as statements write it; empty if it is the one that a session has by itself
 * @param prefix the text before the name of each table
 * @param named {@code true} if the user has named the schema
 */
public record Tables(Optional<String> schema, String prefix, boolean named) {

    /** The tables without a schema. */
    public static final Tables DEFAULT = of("holdfast_");

    /** Returns the tables with a prefix, which may begin with a schema and a period. */
    public static Tables of(String prefix) {
        String[] parts = prefix.split("\\.", 2);
        return parts.length == 1
                ? new Tables(Optional.empty(), prefix, false)
                : new Tables(Optional.of(parts[0]), parts[1], true);
    }

    /** Returns the tables of a user who has named the schema of each session. */
    public Tables withNamedSchema() {
        return new Tables(schema, prefix, true);
    }

    /** Returns the same tables in the given schema. */
    Tables in(String value) {
        return new Tables(Optional.of(value), prefix, named);
    }

    /** Returns the name of the table of records without its schema. */
    String records() {
        return prefix + "locks";
    }

    /** Returns the name of the table of records. */
    public String locks() {
        return qualified(records());
    }

    /** Returns the name of the table of clients. */
    public String clients() {
        return qualified(prefix + "clients");
    }

    private String qualified(String table) {
        return schema.map(name -> name + "." + table).orElse(table);
    }
}
