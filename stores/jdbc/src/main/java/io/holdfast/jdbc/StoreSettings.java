package io.holdfast.jdbc;

import static io.holdfast.jdbc.Address.require;

import io.holdfast.jdbc.sql.Tables;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of a URL that are meant for the store, and not for the driver.
 *
 * @param sweepAfter the time for which a name is unused before its row may be deleted
 * @param tables the names of the tables
 * @param createsTables whether missing tables are created
 * @param listens whether the database sends signals, where it can
 * @param oneWriter whether all clients write at one node, although the database accepts writes at several
 */
record StoreSettings(Duration sweepAfter, Tables tables, boolean createsTables, boolean listens, boolean oneWriter) {

    private static final String SWEEP_AFTER = "SWEEPAFTER";
    private static final String TABLE_PREFIX = "TABLEPREFIX";
    private static final String CREATE_TABLES = "CREATETABLES";
    private static final String SIGNALS = "SIGNALS";
    private static final String ONE_WRITER = "ONEWRITER";
    private static final Set<String> ALL = Set.of(SWEEP_AFTER, TABLE_PREFIX, CREATE_TABLES, SIGNALS, ONE_WRITER);
    private static final Map<String, Boolean> TRUE_OR_FALSE = Map.of("TRUE", true, "FALSE", false);

    private static final Duration MIN_SWEEP = Duration.ofHours(1);
    private static final Duration MAX_SWEEP = Duration.ofDays(365);
    private static final Pattern HOURS_OR_DAYS = Pattern.compile("(\\d{1,4})([hd])");
    private static final Pattern IDENTIFIERS =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,39}\\.)?[A-Za-z_][A-Za-z0-9_]{0,39}");

    static final StoreSettings DEFAULT = new StoreSettings(Duration.ofDays(7), Tables.DEFAULT, true, true, false);

    /** Returns {@code true} if a setting is meant for the store. Case and underscores have no effect. */
    static boolean isOne(String name) {
        return ALL.contains(key(name));
    }

    private static String key(String name) {
        return name.replace("_", "").toUpperCase(Locale.ROOT);
    }

    /**
     * Returns a copy with a setting.
     *
     * @throws IllegalArgumentException if the value is not understood
     */
    StoreSettings with(String name, String value) {
        return switch (key(name)) {
            case SWEEP_AFTER -> new StoreSettings(sweepTime(name, value), tables, createsTables, listens, oneWriter);
            case TABLE_PREFIX -> withTables(tables(name, value));
            case CREATE_TABLES ->
                new StoreSettings(sweepAfter, tables, choice(name, value, TRUE_OR_FALSE), listens, oneWriter);
            case SIGNALS ->
                new StoreSettings(
                        sweepAfter,
                        tables,
                        createsTables,
                        choice(name, value, Map.of("LISTEN", true, "LOOK", false)),
                        oneWriter);
            case ONE_WRITER ->
                new StoreSettings(sweepAfter, tables, createsTables, listens, choice(name, value, TRUE_OR_FALSE));
            default -> throw new IllegalArgumentException(name + " is not a setting of the store");
        };
    }

    /** Returns a copy for a URL that names the schema of its sessions. */
    StoreSettings withNamedSchema() {
        return withTables(tables.withNamedSchema());
    }

    private StoreSettings withTables(Tables value) {
        return new StoreSettings(sweepAfter, value, createsTables, listens, oneWriter);
    }

    private static Duration sweepTime(String name, String text) {
        Matcher form = HOURS_OR_DAYS.matcher(text);
        boolean known = form.matches();
        Duration time = !known
                ? Duration.ZERO
                : form.group(2).equals("h")
                        ? Duration.ofHours(Long.parseLong(form.group(1)))
                        : Duration.ofDays(Long.parseLong(form.group(1)));
        require(
                time.compareTo(MIN_SWEEP) >= 0 && time.compareTo(MAX_SWEEP) <= 0,
                name + (known ? "=" + text + " is out of range" : " is not understood")
                        + ": 1h to 365d, in whole hours or days");
        return time;
    }

    private static Tables tables(String name, String text) {
        require(
                IDENTIFIERS.matcher(text).matches(),
                name + " is not understood: letters, digits and '_', behind a schema and '.' if needed");
        return Tables.of(text);
    }

    private static boolean choice(String name, String text, Map<String, Boolean> choices) {
        Boolean choice = choices.get(text.toUpperCase(Locale.ROOT));
        if (choice == null) {
            throw new IllegalArgumentException(name + " is not understood: it is "
                    + String.join(
                            " or ",
                            choices.keySet().stream()
                                    .map(each -> each.toLowerCase(Locale.ROOT))
                                    .sorted()
                                    .toList()));
        }
        return choice;
    }
}
