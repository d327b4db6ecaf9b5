package io.holdfast.examples.flashsale;

/**
 * Redis counts the stock down, so no update is lost; but the check is not part of that step, so that all who still saw
 * the last item sell it.
 */
final class AtomicDecrement implements Strategy {

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        return sale.sellOne(sale.shop().counter());
    }
}
