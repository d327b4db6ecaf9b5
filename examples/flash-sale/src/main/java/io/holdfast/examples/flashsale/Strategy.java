package io.holdfast.examples.flashsale;

/** A way to keep the sellers apart. One object serves all sellers of a process. */
public interface Strategy extends AutoCloseable {

    /** Sells one item to one buyer; false if there is none left. */
    boolean sell(Sale sale) throws InterruptedException;

    @Override
    default void close() {}
}
