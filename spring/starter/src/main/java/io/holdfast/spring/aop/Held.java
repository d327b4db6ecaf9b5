package io.holdfast.spring.aop;

/** What a call holds while its method runs. */
interface Held extends AutoCloseable {

    /** Returns the fencing token. */
    long token();

    /**
     * Returns if the hold is not lost.
     *
     * @throws io.holdfast.LeaseLostException if it is lost
     */
    void requireNotLost();

    /**
     * Releases it.
     *
     * @throws io.holdfast.LeaseLostException if it was lost
     */
    @Override
    void close();
}
