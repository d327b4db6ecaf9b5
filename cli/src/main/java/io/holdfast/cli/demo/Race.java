package io.holdfast.cli.demo;

import io.holdfast.examples.flashsale.Books;
import io.holdfast.examples.flashsale.Job;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;

/** One sale under one strategy: started, watched, and counted. */
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

    Row run() throws IOException, InterruptedException {
        String sale = UUID.randomUUID().toString();
        progress.note(strategy.label() + ": starting " + options.processes() + " processes");
        try (Books books = Books.open(redis, sale, options.stock());
                Crew crew = Crew.start(options.processes(), index -> job(sale, index))) {
            crew.awaitReady();
            crew.go();
            boolean finished = watch(crew, books);
            crew.end();
            return row(crew, books, finished);
        }
    }

    private Job job(String sale, int index) {
        Job job =
                new Job(strategy, redis, redis, sale, options.threads(), options.work(), DemoOptions.LEASE, Job.NEVER);
        return strategy.holds() && index == 0 ? job.dyingAt(options.dieAt()) : job;
    }

    /** Returns true when all workers have ended, false when nothing was sold for too long. */
    private boolean watch(Crew crew, Books books) throws InterruptedException {
        Standstill standstill = new Standstill(options.patience(), System.nanoTime());
        while (!crew.awaitEnd(TICK)) {
            long orders = books.orders();
            books.keepAlive();
            progress.show(strategy.label() + ": " + orders + " orders, " + books.left() + " left"
                    + (crew.halted() > 0 ? ", one process killed" : ""));
            if (standstill.tooLong(orders, System.nanoTime())) {
                return false;
            }
        }
        return true;
    }

    private Row row(Crew crew, Books books, boolean finished) {
        long now = books.nowMillis();
        Count count = new Count(books.orders(), books.left(), books.orderMillis(), books.tookMicros());
        Row row = Row.of(strategy, options.stock(), options.work(), count, crew.halted(), finished ? count.end() : now);
        progress.note(strategy.label() + ": " + row.orders() + " orders, " + row.left() + " left"
                + (finished ? "" : "; given up after " + options.patience().toSeconds() + " s without a sale"));
        crew.failures().forEach(progress::note);
        return crew.failures().isEmpty() ? row : row.withFailure();
    }
}
