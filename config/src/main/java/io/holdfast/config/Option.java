package io.holdfast.config;

import io.holdfast.HoldfastBuilder;
import io.holdfast.OnMaxHold;
import io.holdfast.Safety;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What can be written down; named as in {@link HoldfastBuilder}. */
enum Option {
    URI("uri", (builder, given) -> builder.uri(given.text())),
    NAME("name", (builder, given) -> builder.name(given.text())),
    KEY_PREFIX("keyPrefix", (builder, given) -> builder.keyPrefix(given.text())),
    SAFETY("safety", (builder, given) -> builder.safety(safety(given.text()))),
    LEASE("lease", (builder, given) -> builder.lease(Times.parse(given.text()))),
    COMMAND_TIMEOUT("commandTimeout", (builder, given) -> builder.commandTimeout(Times.parse(given.text()))),
    CONNECT_TIMEOUT("connectTimeout", (builder, given) -> builder.connectTimeout(Times.parse(given.text()))),
    LAZY("lazy", (builder, given) -> lazy(builder, given.text())),
    MAX_OUTAGE("maxOutage", (builder, given) -> builder.maxOutage(Times.parse(given.text()))),
    CLOSE_TIMEOUT("closeTimeout", (builder, given) -> builder.closeTimeout(Times.parse(given.text()))),
    POLL_INTERVAL("pollInterval", (builder, given) -> builder.pollInterval(Times.parse(given.text()))),
    RENEWAL_BATCH("renewalBatch", (builder, given) -> builder.renewalBatch(number(given.text()))),
    MAX_HOLD("maxHold", (builder, given) -> builder.maxHold(Times.parse(given.text()))),
    ON_MAX_HOLD("onMaxHold", Option::onMaxHold);

    private static final Pattern REPLICATED = Pattern.compile("replicated\\((\\d{1,6})\\)");

    /**
     * What is written for an option.
     *
     * @param text its value
     * @param all those of all options, by their names
     */
    record Given(String text, Map<String, String> all) {}

    private interface Setter {

        void set(HoldfastBuilder builder, Given given);
    }

    private final String shown;
    private final Setter setter;

    Option(String shown, Setter setter) {
        this.shown = shown;
        this.setter = setter;
    }

    /** As it stands in a file. */
    String shown() {
        return shown;
    }

    /** @throws IllegalArgumentException if the value cannot be */
    void apply(HoldfastBuilder builder, Given given) {
        setter.set(builder, given);
    }

    static Optional<Option> named(String name) {
        return Arrays.stream(values())
                .filter(option -> option.shown.equals(name))
                .findFirst();
    }

    /** Which is most likely meant. */
    static Option nearest(String name) {
        String wanted = plain(name);
        return Arrays.stream(values())
                .min(Comparator.comparingInt(option -> distance(wanted, plain(option.shown))))
                .orElseThrow();
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** How many letters have to be put in, left out, or changed; by Wagner and Fischer, "The String-to-String Correction Problem". */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }

    // ---- values

    private static Safety safety(String text) {
        Matcher replicated = REPLICATED.matcher(text);
        if (replicated.matches()) {
            return Safety.replicated(Integer.parseInt(replicated.group(1)));
        } else if (text.equals("async")) {
            return Safety.async();
        }
        throw new IllegalArgumentException("it is async, or replicated(n) with a number of replicas");
    }

    private static void lazy(HoldfastBuilder builder, String text) {
        if (text.equals("true")) {
            builder.lazy();
        } else if (!text.equals("false")) {
            throw new IllegalArgumentException("it is true or false");
        }
    }

    private static int number(String text) {
        if (!text.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("it is a number");
        }
        return Integer.parseInt(text);
    }

    private static void onMaxHold(HoldfastBuilder builder, Given given) {
        String after = given.all().get(MAX_HOLD.shown);
        if (after == null) {
            throw new IllegalArgumentException("there is no " + MAX_HOLD.shown + " after which it is done");
        }
        OnMaxHold then = Arrays.stream(OnMaxHold.values())
                .filter(one -> plain(one.name()).equals(plain(given.text())))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("it is one of "
                        + Arrays.stream(OnMaxHold.values())
                                .map(one -> one.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                                .collect(Collectors.joining(", "))));
        builder.maxHold(Times.parse(after), then);
    }
}
