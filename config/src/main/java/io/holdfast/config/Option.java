package io.holdfast.config;

import io.holdfast.HoldfastBuilder;
import io.holdfast.OnMaxHold;
import io.holdfast.Safety;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options that can be set in a file, named as in {@link HoldfastBuilder}. */
enum Option {
    URI("uri"),
    NAME("name"),
    KEY_PREFIX("keyPrefix"),
    SAFETY("safety"),
    LEASE("lease"),
    COMMAND_TIMEOUT("commandTimeout"),
    CONNECT_TIMEOUT("connectTimeout"),
    LAZY("lazy"),
    MAX_OUTAGE("maxOutage"),
    CLOSE_TIMEOUT("closeTimeout"),
    POLL_INTERVAL("pollInterval"),
    RENEWAL_BATCH("renewalBatch"),
    MAX_HOLD("maxHold"),
    ON_MAX_HOLD("onMaxHold"),
    RECORD_PLACES("recordPlaces");

    private final String shown;

    Option(String shown) {
        this.shown = shown;
    }

    /** Returns the name of the option in a file. */
    String shown() {
        return shown;
    }

    /**
     * Sets the option.
     *
     * @param all the texts of all options in the file, by their names
     * @throws IllegalArgumentException if the value is invalid
     */
    HoldfastBuilder set(HoldfastBuilder builder, Map<String, String> all) {
        String text = Objects.requireNonNull(all.get(shown));
        return switch (this) {
            case URI -> builder.uri(text);
            case NAME -> builder.name(text);
            case KEY_PREFIX -> builder.keyPrefix(text);
            case SAFETY -> builder.safety(Safety.parse(text));
            case LEASE -> builder.lease(Times.parse(text));
            case COMMAND_TIMEOUT -> builder.commandTimeout(Times.parse(text));
            case CONNECT_TIMEOUT -> builder.connectTimeout(Times.parse(text));
            case LAZY -> isTrue(text) ? builder.lazy() : builder;
            case MAX_OUTAGE -> builder.maxOutage(Times.parse(text));
            case CLOSE_TIMEOUT -> builder.closeTimeout(Times.parse(text));
            case POLL_INTERVAL -> builder.pollInterval(Times.parse(text));
            case RENEWAL_BATCH -> builder.renewalBatch(number(text));
            case MAX_HOLD -> builder.maxHold(Times.parse(text));
            case ON_MAX_HOLD -> onMaxHold(builder, text, all.get(MAX_HOLD.shown));
            case RECORD_PLACES -> isTrue(text) ? builder.recordPlaces() : builder;
        };
    }

    static Optional<Option> named(String name) {
        return Arrays.stream(values())
                .filter(option -> option.shown.equals(name))
                .findFirst();
    }

    /** Returns the option whose name is most similar to the given one. */
    static Option nearest(String name) {
        String wanted = plain(name);
        return Arrays.stream(values())
                .min(Comparator.comparingInt(option -> distance(wanted, plain(option.shown))))
                .orElseThrow();
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /**
     * Returns the number of letters to insert, delete, or change; by Wagner and Fischer, "The String-to-String Correction
     * Problem".
     */
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

    private static boolean isTrue(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("it must be true or false");
        };
    }

    private static int number(String text) {
        if (!text.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("it must be a number");
        }
        return Integer.parseInt(text);
    }

    private static HoldfastBuilder onMaxHold(HoldfastBuilder builder, String text, @Nullable String after) {
        if (after == null) {
            throw new IllegalArgumentException("it needs " + MAX_HOLD.shown + ", the time after which it applies");
        }
        OnMaxHold then = Arrays.stream(OnMaxHold.values())
                .filter(one -> plain(one.name()).equals(plain(text)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("it must be one of "
                        + Arrays.stream(OnMaxHold.values())
                                .map(one -> one.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                                .collect(Collectors.joining(", "))));
        return builder.maxHold(Times.parse(after), then);
    }
}
