package io.holdfast.examples.flashsale;

/** Nobody waits for anybody: two sellers read the same stock, both sell, and one of the two writes is lost. */
final class NoLock implements Strategy {

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        return sale.sellOne();
    }
}
