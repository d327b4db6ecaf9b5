package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Books;
import io.holdfast.examples.flashsale.Job;
import io.holdfast.examples.flashsale.Setback;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;

/** One sale under one strategy, which is started, watched and counted. */
final class Race {

    private static final Duration TICK = Duration.ofMillis(100);

    private final DemoOptions options;
    private final StrategyKind strategy;
    private final String redis;
    private final Progress progress;

    Race(DemoOptions options, StrategyKind strategy, String redis, Progress progress) {
        this.options = options;
        this.strategy = strategy;
        this.redis = redis;
        this.progress = progress;
    }

    Sold run() throws IOException, InterruptedException {
        String sale = UUID.randomUUID().toString();
        progress.note(strategy.label() + ": starting " + options.processes() + " processes");
        try (Books books = Books.open(redis, sale, options.stock(), strategy);
                Crew crew = Crew.start(options.processes(), index -> job(sale, index))) {
            crew.awaitReady();
            crew.go();
            boolean finished = watch(crew, books);
            crew.end();
            return sold(crew, books, finished);
        }
    }

    private Job job(String sale, int process) {
        return new Job(
                strategy,
                options.lockStore(redis),
                redis,
                sale,
                process,
                options.threads(),
                options.work(),
                DemoOptions.LEASE,
                options.haltAfter(),
                options.slowAfter());
    }

    /**
     * Watches the sale. Returns {@code true} when all workers have ended, and {@code false} when nothing was sold for too long.
     */
    private boolean watch(Crew crew, Books books) throws InterruptedException {
        Standstill standstill = new Standstill(System.nanoTime());
        while (!crew.awaitEnd(TICK)) {
            long orders = books.orders();
            books.keepAlive();
            progress.show(strategy.label() + ": " + orders + " orders, " + books.left() + " left"
                    + (crew.halted() > 0 ? ", one process killed" : ""));
            if (standstill.isLongerThan(patience(crew), orders, System.nanoTime())) {
                return false;
            }
        }
        return true;
    }

    /** Only a seller that died with a lock that never expires ends a sale. Anything else may just take long. */
    private Duration patience(Crew crew) {
        return strategy.endsByDeath() && crew.halted() > 0 ? options.patience() : DemoOptions.LONGEST_STALL;
    }

    private Sold sold(Crew crew, Books books, boolean finished) {
        long now = books.nowMillis();
        Count count = new Count(
                books.orders(),
                books.left(),
                books.orderMillis(),
                books.tookMicros(),
                books.count(Setback.LOST_HOLD),
                books.count(Setback.FENCED_OFF),
                books.timeline());
        crew.failures().forEach(progress::note);
        Row.Ending ending =
                new Row.Ending(crew.halted(), finished, now, !crew.failures().isEmpty());
        Row row = Row.of(strategy, options, count, ending);
        progress.note(strategy.label() + ": " + row.orders() + " orders, " + row.left() + " left"
                + (finished ? "" : "; stopped after " + patience(crew).toSeconds() + " s without a sale"));
        return new Sold(row, count);
    }
}
