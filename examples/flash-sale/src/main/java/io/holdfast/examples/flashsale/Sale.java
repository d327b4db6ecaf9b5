package io.holdfast.examples.flashsale;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The sale of one item: read the stock, check it, do the work, write stock and order. Nothing here keeps sellers apart. */
public final class Sale {

    private final Shop shop;
    private final Duration work;
    private final Accident accident;

    Sale(Shop shop, Duration work, Accident accident) {
        this.shop = shop;
        this.work = work;
        this.accident = accident;
    }

    /** Sells one item; false if there is none left. */
    public boolean sellOne() throws InterruptedException {
        long stock = shop.stock();
        if (stock <= 0) {
            return false;
        }
        TimeUnit.NANOSECONDS.sleep(work.toNanos());
        accident.mayHappen(stock);
        shop.sell(stock - 1);
        return true;
    }
}
