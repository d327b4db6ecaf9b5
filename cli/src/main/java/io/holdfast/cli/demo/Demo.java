package io.holdfast.cli.demo;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The demo, which runs one sale for each strategy, one after the other. */
public final class Demo {

    private final DemoOptions options;
    private final Progress progress;

    /** Creates a demo that reports its progress. */
    public Demo(DemoOptions options, Progress progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs the sales, and prints the table.
     *
     * @return {@code true} if all sales ended as expected
     */
    public boolean run(PrintWriter out) throws IOException, InterruptedException {
        List<Sold> sales = runOnStore();
        List<Row> rows = sales.stream().map(Sold::row).toList();
        Table.print(rows, out);
        Explanation.of(options, rows).forEach(out::println);
        out.flush();
        if (options.json().isPresent()) {
            write(options.json().get(), Report.of(options, rows));
        }
        if (options.html().isPresent()) {
            write(options.html().get(), HtmlReport.of(options, sales));
        }
        return rows.stream().allMatch(Row::asExpected);
    }

    private List<Sold> runOnStore() throws IOException, InterruptedException {
        if (options.stockStore().isPresent()) {
            return runAll(options.stockStore().get());
        }
        try (RedisServer redis = RedisServer.start()) {
            return runAll(redis.uri());
        }
    }

    private List<Sold> runAll(String redis) throws IOException, InterruptedException {
        List<Sold> sales = new ArrayList<>();
        for (StrategyKind strategy : options.strategies()) {
            sales.add(new Race(options, strategy, redis, progress).run());
        }
        return sales;
    }

    private void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
        progress.note("written: " + file);
    }
}
