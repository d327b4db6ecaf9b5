package io.holdfast.spring.aop;

/** What a call holds while its method runs. */
interface Held extends AutoCloseable {

    /** Returns the fencing token. */
    long token();

    /**
     * Releases it.
     *
     * @throws io.holdfast.LeaseLostException if it was lost
     */
    @Override
    void close();
}
