package io.holdfast.examples.web;

import io.holdfast.Holdfast;
import io.holdfast.examples.flashsale.Keys;
import io.holdfast.recipes.SegmentLease;
import io.holdfast.recipes.SegmentedLock;
import java.util.OptionalLong;
import org.springframework.stereotype.Component;

/**
 * The stock is spread over several shelves, each with a lock of its own, so that as many purchases can run at once. A dead or
 * paused instance blocks the shelves that it holds.
 */
@Component
final class SegmentedSeller implements Seller {

    private final Purchase purchase;
    private final ShopProperties shop;
    private final SegmentedLock shelves;

    SegmentedSeller(Holdfast holdfast, Purchase purchase, ShopProperties shop) {
        this.purchase = purchase;
        this.shop = shop;
        this.shelves = SegmentedLock.of(holdfast, "shop/segmented", Keys.SHELVES);
    }

    @Override
    public Way way() {
        return Way.SEGMENTED;
    }

    @Override
    public OptionalLong sell() throws InterruptedException {
        SegmentedLock left = shelves;
        while (!left.segments().isEmpty()) {
            try (SegmentLease lease = left.acquireAny(shop.patience())) {
                OptionalLong sold = purchase.fenced(way(), lease.segment(), lease.fencingToken());
                if (sold.isPresent()) {
                    return sold;
                }
                left = left.without(lease.segment());
            }
        }
        return OptionalLong.empty();
    }
}
