package io.holdfast.examples.web;

import io.holdfast.Holdfast;
import io.holdfast.examples.flashsale.ShareSeller;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Each instance leases a share of the stock, and its requests buy from that share without a lock. When this instance ends, its
 * locks end, too. Another instance then returns its share to the stock.
 */
@Component
final class AllotmentSeller implements Seller {

    private static final Logger LOG = LoggerFactory.getLogger(AllotmentSeller.class);

    private static final int LEAST_ITEMS = 4;

    private final Purchase purchase;
    private final ShopProperties shop;
    private final ShareSeller seller;

    AllotmentSeller(Holdfast holdfast, Stock stock, Purchase purchase, ShopProperties shop) {
        this.purchase = purchase;
        this.shop = shop;
        this.seller = new ShareSeller(
                holdfast,
                "shop/allotment",
                shop.instance(),
                LEAST_ITEMS,
                stock.shares(Way.ALLOTMENT),
                loss -> LOG.warn("sold on after a lost hold", loss));
    }

    @Override
    public Way way() {
        return Way.ALLOTMENT;
    }

    @Override
    public OptionalLong sell() throws InterruptedException, TimeoutException {
        return seller.sell(shop.patience(), token -> purchase.ofShare(way(), token));
    }
}
