package io.holdfast.jdbc.sql;

/**
 * The tables of the store.
 *
 * @param prefix the text before the name of each table, which may begin with a schema and a period
 */
public record Tables(String prefix) {

    /** The tables without a schema. */
    public static final Tables DEFAULT = new Tables("holdfast_");

    /** Returns the name of the table of records. */
    public String locks() {
        return prefix + "locks";
    }

    /** Returns the name of the table of clients. */
    public String clients() {
        return prefix + "clients";
    }
}
