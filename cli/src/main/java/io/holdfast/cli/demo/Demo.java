package io.holdfast.cli.demo;

import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.examples.flashsale.StrategyKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One sale for each strategy, one after the other. */
public final class Demo {

    private final DemoOptions options;
    private final Progress progress;

    /** A demo that tells how it goes. */
    public Demo(DemoOptions options, Progress progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs the sales, and prints the table.
     *
     * @return whether all went as it should
     */
    public boolean run(PrintWriter out) throws IOException, InterruptedException {
        List<Row> rows = runOnStore();
        Table.print(rows, out);
        Explanation.of(options, rows).forEach(out::println);
        out.flush();
        if (options.json().isPresent()) {
            write(options.json().get(), rows);
        }
        return rows.stream().allMatch(Row::asExpected);
    }

    private List<Row> runOnStore() throws IOException, InterruptedException {
        if (!options.store().equals(DemoOptions.EMBEDDED)) {
            return runAll(options.store());
        }
        try (RedisServer redis = RedisServer.start()) {
            return runAll(redis.uri());
        }
    }

    private List<Row> runAll(String redis) throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (StrategyKind strategy : options.strategies()) {
            rows.add(new Race(options, strategy, redis, progress).run());
        }
        return rows;
    }

    private void write(Path file, List<Row> rows) throws IOException {
        Files.writeString(file, Report.of(options, rows));
        progress.note("figures written to " + file);
    }
}
