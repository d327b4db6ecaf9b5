package io.holdfast.examples.web;

import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/** One lock around the whole purchase of an item, by an annotation. */
@Component
final class LockSeller implements Seller {

    private final LockedPurchase purchase;

    LockSeller(LockedPurchase purchase) {
        this.purchase = purchase;
    }

    @Override
    public Way way() {
        return Way.LOCK;
    }

    @Override
    public OptionalLong sell() throws InterruptedException {
        return purchase.sell(0);
    }
}
