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

    /** Sells one item of the stock; {@code false} if none is left. */
    public boolean sellOne() throws InterruptedException {
        return sellOne(shop.stock());
    }

    /** Sells one item of the shelf; {@code false} if none is left, or if the shelf no longer belongs to the seller. */
    boolean sellOne(Shelf shelf) throws InterruptedException {
        shop.journal().begin();
        long stock = shelf.stock();
        if (stock <= 0) {
            shop.journal().end();
            return false;
        }
        work.perform(shop.journal());
        long orders = shelf.sell(stock);
        if (orders == Shelf.REFUSED) {
            shop.journal().end();
            return false;
        }
        shop.journal().ordersAre(orders);
        return true;
    }
}
