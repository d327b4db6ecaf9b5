package io.holdfast.examples.web;

import io.holdfast.HoldfastException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The requests of buyers.
 *
 * <p>{@code POST /deduct_stock/WAY} sells one item. It answers 200 with the number of items that are left, 409 if everything is
 * sold, and 503 if the purchase did not get its turn, or lost it. A purchase that is answered with 503 after its lock was lost
 * may have sold an item.
 */
@RestController
final class DeductStock {

    private final Map<Way, Seller> sellers = new EnumMap<>(Way.class);
    private final ShopProperties shop;
    private final AtomicInteger running = new AtomicInteger();

    DeductStock(List<Seller> sellers, ShopProperties shop) {
        sellers.forEach(seller -> this.sellers.put(seller.way(), seller));
        this.shop = shop;
    }

    /** Sells one item in the way of the property {@code shop.way}. */
    @PostMapping(Paths.DEDUCT_STOCK)
    ResponseEntity<String> sell() throws InterruptedException, TimeoutException {
        return sell(shop.way());
    }

    /** Sells one item in the given way; 404 if there is no such way. */
    @PostMapping(Paths.DEDUCT_STOCK + "/{way}")
    ResponseEntity<String> sell(@PathVariable String way) throws InterruptedException, TimeoutException {
        Way chosen = Way.of(way).orElse(null);
        return chosen == null ? answer(HttpStatus.NOT_FOUND, "there is no way '" + way + "'") : sell(chosen);
    }

    /** Answers that this instance serves requests. */
    @GetMapping(Paths.PING)
    String ping() {
        return "instance " + shop.instance();
    }

    /** Answers with the number of purchases that this instance is working on. */
    @GetMapping(Paths.RUNNING)
    String running() {
        return Integer.toString(running.get());
    }

    private ResponseEntity<String> sell(Way way) throws InterruptedException, TimeoutException {
        Seller seller = sellers.get(way);
        if (seller == null) {
            throw new IllegalStateException("no seller for " + way);
        }
        running.incrementAndGet();
        try {
            OptionalLong left = seller.sell();
            return left.isPresent()
                    ? answer(HttpStatus.OK, Long.toString(left.getAsLong()))
                    : answer(HttpStatus.CONFLICT, "sold out");
        } finally {
            running.decrementAndGet();
        }
    }

    @ExceptionHandler({HoldfastException.class, TimeoutException.class})
    ResponseEntity<String> unavailable(Exception e) {
        return answer(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
    }

    private static ResponseEntity<String> answer(HttpStatus status, String text) {
        return ResponseEntity.status(status).body(text + "\n");
    }
}
