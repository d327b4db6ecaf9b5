package io.holdfast.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What to measure, and how long.
 *
 * @param cases names of cases; empty for all
 * @param threads instead of those of the cells; empty for those
 * @param rounds that count, for each subject
 * @param millis of a round
 * @param warmUpMillis of the round before, which does not count
 * @param quick whether to take the few cells that show that all works
 * @param limit the time that a start may take, and a round beyond its own time
 * @param store where
 * @param json where to write the figures for a program
 * @param html where to write them for a person
 * @param plots a folder for the plots, each as a file
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

    /** Before anything is measured: half an hour later is too late. */
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
        return Plan.chosen(quick ? Plan.quick() : Plan.full(), cases, threads);
    }

    /** Of each process that works: where little is measured, to start it costs more than that. */
    List<String> ofProcesses() {
        return quick ? List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC") : List.of();
    }

    /** Without a password. */
    String shownStore() {
        return store.map(uri -> uri.replaceFirst("//[^@/]*@", "//")).orElse("a Redis of its own");
    }
}
