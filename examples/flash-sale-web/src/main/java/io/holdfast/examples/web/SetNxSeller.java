package io.holdfast.examples.web;

import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.stereotype.Component;

/**
 * A lock key with an expiry. Work that outlasts the expiry continues beside the next purchase, and then deletes the key of that
 * purchase, which admits a third one.
 */
@Component
final class SetNxSeller implements Seller {

    private static final int LONGEST_PAUSE_MILLIS = 10;

    private final Stock stock;
    private final Purchase purchase;
    private final ShopProperties shop;

    SetNxSeller(Stock stock, Purchase purchase, ShopProperties shop) {
        this.stock = stock;
        this.purchase = purchase;
        this.shop = shop;
    }

    @Override
    public Way way() {
        return Way.SETNX;
    }

    @Override
    public OptionalLong sell() throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + shop.patience().toNanos();
        while (!stock.takeKey(way(), shop.expiry())) {
            if (System.nanoTime() - end > 0) {
                throw new TimeoutException("the lock key existed for " + shop.patience());
            }
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS) + 1);
        }
        try {
            return purchase.unguarded(way());
        } finally {
            stock.freeKey(way());
        }
    }
}
