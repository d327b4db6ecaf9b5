package io.holdfast.examples.flashsale;

import io.holdfast.Holdfast;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** Each process leases a share of the stock, and its threads sell from that share without a lock. */
final class Allotment implements Strategy {

    /** The worker is stopped from outside if nothing is sold for too long. */
    private static final Duration PATIENCE = Duration.ofDays(1);

    private final Job job;
    private final RedisClient redis;
    private final Holdfast holdfast;
    private final ShareSeller seller;

    Allotment(Job job) {
        this.job = job;
        redis = RedisClient.create(job.stockStore());
        RedisCommands<String, String> commands = redis.connect().sync();
        Keys keys = new Keys(job.sale());
        Shares shares = new Shares(commands, keys);
        Setbacks setbacks = new Setbacks(commands, keys);
        holdfast = job.connect();
        seller = new ShareSeller(
                holdfast,
                "flash-sale/" + job.sale(),
                job.process(),
                job.threads(),
                shares,
                loss -> setbacks.add(Setback.LOST_HOLD));
    }

    @Override
    public boolean sell(Sale sale) throws InterruptedException {
        try {
            return seller.sell(PATIENCE, token -> sellFromShare(sale, token)).isPresent();
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean sellFromShare(Sale sale, long token) throws InterruptedException {
        return sale.sellOne(sale.shop().share(job.process(), token)) != Outcome.FENCED_OFF;
    }

    @Override
    public void close() {
        try (holdfast) {
            seller.close();
        } finally {
            redis.shutdown();
        }
    }
}
