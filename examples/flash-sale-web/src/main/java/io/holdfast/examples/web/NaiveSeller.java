package io.holdfast.examples.web;

import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/** No mutual exclusion: two requests read the same stock, both sell, and one write is lost (lost update). */
@Component
final class NaiveSeller implements Seller {

    private final Purchase purchase;

    NaiveSeller(Purchase purchase) {
        this.purchase = purchase;
    }

    @Override
    public Way way() {
        return Way.NONE;
    }

    @Override
    public OptionalLong sell() throws InterruptedException {
        return purchase.unguarded(way());
    }
}
