package io.holdfast.examples.web;

/** The paths of an instance. */
public final class Paths {

    /** The path of purchases; the name of a {@link Way} may follow. */
    public static final String DEDUCT_STOCK = "/deduct_stock";

    /** The path that answers if the instance serves requests. */
    public static final String PING = "/ping";

    /** The path that answers with the number of purchases that the instance is working on. */
    public static final String RUNNING = "/running";

    private Paths() {}
}
