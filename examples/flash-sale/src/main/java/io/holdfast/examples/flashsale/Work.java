package io.holdfast.examples.flashsale;

/** The work of a seller between check and write. */
@FunctionalInterface
interface Work {

    void perform(Journal journal) throws InterruptedException;
}
