package io.holdfast.examples.flashsale;

/** A way to exclude sellers from each other. One object serves all sellers of a process. */
public interface Strategy extends AutoCloseable {

    /** Sells one item to one buyer; {@code false} if none is left. */
    boolean sell(Sale sale) throws InterruptedException;

    @Override
    default void close() {}
}
