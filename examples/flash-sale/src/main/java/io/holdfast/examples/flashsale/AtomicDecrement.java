package io.holdfast.examples.flashsale;

/**
 * Redis decrements the stock atomically, so no update is lost. The check is not part of that step: all sellers that saw the
 * last item sell it (check-then-act race).
 */
final class AtomicDecrement implements Strategy {

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        return sale.sellOne(sale.shop().counter()) == Outcome.SOLD;
    }
}
