package io.holdfast.examples.flashsale;

/** The purchase of one item: read the stock, check it, work, write stock and order. It contains no mutual exclusion. */
public final class Sale {

    private final Shop shop;
    private final Work work;

    Sale(Shop shop, Work work) {
        this.shop = shop;
        this.work = work;
    }

    /** Returns the shop of the seller. */
    Shop shop() {
        return shop;
    }

    /** Sells one item of the stock without a fence; {@code false} if none is left. */
    public boolean sellOne() throws InterruptedException {
        return sellOne(shop.stock()) == Outcome.SOLD;
    }

    /** Sells one item of the shelf. A refusal is counted. */
    Outcome sellOne(Shelf shelf) throws InterruptedException {
        Outcome outcome = shelf.open() ? sellFrom(shelf) : Outcome.FENCED_OFF;
        if (outcome == Outcome.FENCED_OFF) {
            shop.count(Setback.FENCED_OFF);
        }
        return outcome;
    }

    private Outcome sellFrom(Shelf shelf) throws InterruptedException {
        shop.journal().begin();
        long stock = shelf.stock();
        if (stock <= 0) {
            shop.journal().end();
            return Outcome.SOLD_OUT;
        }
        work.perform(shop.journal());
        long orders = shelf.sell(stock);
        if (orders == Shelf.REFUSED) {
            shop.journal().end();
            return Outcome.FENCED_OFF;
        }
        shop.journal().ordersAre(orders);
        return Outcome.SOLD;
    }
}
