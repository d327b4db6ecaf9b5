package io.holdfast.examples.flashsale;

/** No mutual exclusion: two sellers read the same stock, both sell, and one write is lost (lost update). */
final class NoLock implements Strategy {

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        return sale.sellOne();
    }
}
