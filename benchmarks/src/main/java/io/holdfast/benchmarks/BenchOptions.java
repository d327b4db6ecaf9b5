package io.holdfast.benchmarks;

import io.holdfast.benchmarks.subject.ServerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The options: what to measure, and for how long.
 *
 * @param cases the names of the cases; empty for all
 * @param threads the numbers of threads, instead of those of the cells; empty for those
 * @param rounds the number of measured rounds for each subject
 * @param millis the duration of a round
 * @param warmUpMillis the duration of the warm-up round, which is not measured
 * @param quick {@code true} for the few cells that show that everything works
 * @param limit the time limit for a start, and for a round beyond its duration
 * @param store the URI of the server; empty to start one
 * @param json the file for the figures as JSON
 * @param html the file for the report
 * @param plots the folder for the plots
 */
record BenchOptions(
        Set<String> cases,
        List<Integer> threads,
        int rounds,
        long millis,
        long warmUpMillis,
        boolean quick,
        Duration limit,
        Optional<String> store,
        Optional<Path> json,
        Optional<Path> html,
        Optional<Path> plots) {

    BenchOptions {
        cases = Set.copyOf(cases);
        threads = List.copyOf(threads);
        cases.forEach(
                name -> require(Plan.cases().contains(name), "there is no case '" + name + "', only " + Plan.cases()));
        threads.forEach(number -> require(number >= 1 && number <= 1_024, "--threads " + number + ": 1 to 1024"));
        require(rounds >= 1 && rounds <= 100, "--rounds " + rounds + ": 1 to 100");
        require(millis >= 100 && millis <= 600_000, "--seconds: 0.1 to 600 a round");
        require(limit.toMillis() >= 1_000 && limit.toMillis() <= 86_400_000, "--limit: 1 to 86400");
        require(warmUpMillis >= 100 && warmUpMillis <= 600_000, "--warm-up: 0.1 to 600");
        json.ifPresent(file -> requireWritable("--json", file));
        html.ifPresent(file -> requireWritable("--html", file));
        plots.ifPresent(folder -> requireWritable("--plots", folder.resolve("plot.svg")));
    }

    /** Checked before the run, because half an hour later is too late. */
    private static void requireWritable(String option, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        require(
                folder != null && Files.isWritable(folder) && !Files.isDirectory(file),
                option + " " + file + ": cannot be written");
    }

    private static void require(boolean right, String text) {
        if (!right) {
            throw new IllegalArgumentException(text);
        }
    }

    List<Cell> cells() {
        ServerKind server = store.map(ServerKind::of).orElse(ServerKind.REDIS);
        return Plan.chosen(Plan.of(server, quick), cases, threads);
    }

    /** Returns the JVM options of worker processes. A short run starts faster with less compilation. */
    List<String> ofProcesses() {
        return quick ? List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC") : List.of();
    }

    /** Returns the store's URI without the password. */
    String shownStore() {
        return store.map(uri -> uri.replaceFirst("//[^@/]*@", "//").replaceFirst("(?s)[?;].*", ""))
                .orElse("a Redis of its own");
    }
}
