package io.holdfast.examples.web.demo;

import io.holdfast.examples.web.Way;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The options of the demo.
 *
 * @param postgres true for PostgreSQL instead of Redis
 * @param ways the ways, each with a sale of its own
 * @param help true if only the usage is wanted
 */
record Options(boolean postgres, List<Way> ways, boolean help) {

    static final String USAGE = """
            Usage: holdfast demo --web [--postgres] [--ways NAME[,NAME...]]

            Runs one flash sale for each way, over HTTP, and counts the orders. Two instances of a shop
            with Spring Boot sell behind a reverse proxy. In each sale, one instance is paused for longer
            than a lease, and the other one is killed, both between reading the stock and writing it.

              --postgres    keeps stock and locks in PostgreSQL instead of Redis; a server is started for either
              --ways NAME   none, setnx, lock, segmented, allotment; all by default
              --help        shows this help

            Exit codes:
              0    the sales under Holdfast locks were exact
              1    one of them was not, or a sale did not finish
              2    wrong arguments
              69   the store cannot be used""";

    /** Copies the list. */
    Options {
        ways = List.copyOf(ways);
    }

    /**
     * Reads the arguments.
     *
     * @throws IllegalArgumentException if they are wrong
     */
    static Options of(List<String> arguments) {
        boolean postgres = false;
        boolean help = false;
        List<Way> ways = List.of(Way.values());
        List<String> rest = new ArrayList<>(arguments);
        while (!rest.isEmpty()) {
            String option = rest.remove(0);
            switch (option) {
                case "--web" -> {}
                case "--postgres" -> postgres = true;
                case "--help", "-h" -> help = true;
                case "--ways" -> ways = ways(rest.isEmpty() ? "" : rest.remove(0));
                default -> throw new IllegalArgumentException("unknown argument '" + option + "'");
            }
        }
        return new Options(postgres, ways, help);
    }

    private static List<Way> ways(String labels) {
        return Arrays.stream(labels.split(",", -1)).map(Options::way).toList();
    }

    private static Way way(String label) {
        return Way.of(label)
                .orElseThrow(() -> new IllegalArgumentException("there is no way '" + label + "', only "
                        + Arrays.stream(Way.values()).map(Way::label).collect(Collectors.joining(", "))));
    }
}
