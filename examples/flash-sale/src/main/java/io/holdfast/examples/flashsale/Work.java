package io.holdfast.examples.flashsale;

/** What a seller does between check and write. */
@FunctionalInterface
interface Work {

    void perform(Journal journal) throws InterruptedException;
}
