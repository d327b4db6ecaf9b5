package io.holdfast.jdbc;

import io.holdfast.jdbc.connection.Database;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a database, and how to open it.
 *
 * @param url the URL for the driver, with the settings that we add and without those that only we read
 * @param shown the URL for texts, without settings, because they may contain user and password
 * @param settings the settings that only we read
 */
record Address(DatabaseKind kind, String url, String shown, StoreSettings settings) {

    private static final String KINDS =
            "; those that are begin with jdbc:postgresql:, jdbc:mysql:, jdbc:mariadb: or jdbc:h2:";

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if the URL has another form, if it has a setting that loses locks, or if there is no
     *     driver; the text shows no settings
     */
    static Address parse(String text, Duration commandTimeout) {
        DatabaseKind kind = DatabaseKind.of(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + scheme(text) + "' is not a database that is supported" + KINDS));
        Address address = kind == DatabaseKind.H2
                ? H2Url.parse(text, commandTimeout)
                : ServerUrl.parse(kind, text, commandTimeout);
        address.requireDriver();
        return address;
    }

    private void requireDriver() {
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException(
                    "there is no driver for '" + shown + "': add " + kind.artifact() + " to the class path", e);
        }
    }

    /** Returns the part of a URL that cannot be a user or password. */
    private static String scheme(String url) {
        return url.replaceFirst("(?s)^(jdbc:[a-z0-9]+:).*|.*", "$1...");
    }

    /**
     * Returns the settings that are meant for the store. The last one of a name counts, as for the driver's own.
     *
     * @param setting a setting, as groups for name and value
     */
    static StoreSettings storeSettings(Pattern setting, String text) {
        StoreSettings settings = StoreSettings.DEFAULT;
        for (MatchResult each : setting.matcher(text).results().toList()) {
            if (StoreSettings.isOne(each.group(1))) {
                settings = settings.with(each.group(1), each.group(2).strip());
            }
        }
        return settings;
    }

    /** Returns the text without the settings that are meant for the store. */
    static String withoutStoreSettings(Pattern setting, String text) {
        return setting.matcher(text)
                .replaceAll(each -> StoreSettings.isOne(each.group(1)) ? "" : Matcher.quoteReplacement(each.group()));
    }

    /** Returns the database at this address. */
    Database database() {
        boolean h2 = kind == DatabaseKind.H2;
        return Database.at(
                kind.dialect(settings),
                url,
                shown,
                settings.createsTables(),
                () -> h2 ? H2Url.servedBy(shown) : "",
                h2 && H2Url.isMemory(shown));
    }

    static void require(boolean condition, String text) {
        if (!condition) {
            throw new IllegalArgumentException(text);
        }
    }

    @Override
    public String toString() {
        return shown;
    }
}
