package io.holdfast.examples.flashsale;

/** The sale of one item: read the stock, check it, do the work, write stock and order. Nothing here keeps sellers apart. */
public final class Sale {

    private final Shop shop;
    private final Work work;

    Sale(Shop shop, Work work) {
        this.shop = shop;
        this.work = work;
    }

    /** The shop of the seller. */
    Shop shop() {
        return shop;
    }

    /** Sells one item of the stock; false if there is none left. */
    public boolean sellOne() throws InterruptedException {
        return sellOne(shop.stock());
    }

    /** Sells one item from that shelf; false if there is none left, or the shelf is not the seller's any more. */
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
