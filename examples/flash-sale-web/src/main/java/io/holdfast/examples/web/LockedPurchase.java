package io.holdfast.examples.web;

import io.holdfast.spring.FencingToken;
import io.holdfast.spring.Locked;
import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/** A purchase under one lock of all instances. */
@Component
class LockedPurchase {

    private final Purchase purchase;

    LockedPurchase(Purchase purchase) {
        this.purchase = purchase;
    }

    /**
     * Sells one item while no other purchase runs. If this instance is paused for longer than its lease, another one acquires
     * the lock. Then the stock refuses the write of this one, because its token is older.
     *
     * @param token any number, which is replaced by the token of the hold
     */
    @Locked(name = "shop/lock", waitTime = "${shop.patience:4s}")
    public OptionalLong sell(@FencingToken long token) throws InterruptedException {
        return purchase.fenced(Way.LOCK, token);
    }
}
