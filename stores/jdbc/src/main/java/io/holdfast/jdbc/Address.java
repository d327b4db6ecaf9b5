package io.holdfast.jdbc;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where a database is, and how it is opened.
 *
 * @param url with what was added to it
 * @param shown without settings, among which are user and password
 */
record Address(String url, String shown) {

    private static final String H2 = "jdbc:h2:";
    private static final String FORMS =
            "; the forms are jdbc:h2:/path/to/file, jdbc:h2:mem:name and jdbc:h2:tcp://host/path, with settings behind ';'";

    /**
     * @throws IllegalArgumentException if it has another form, if it asks for what loses locks, or if there is no driver;
     *     the text shows no settings
     */
    static Address parse(String text, Duration commandTimeout) {
        String shown = text.split(";", 2)[0];
        require(text.startsWith(H2), "'" + kind(text) + "' is not a database that is supported yet" + FORMS);
        String place = shown.substring(H2.length());
        require(!place.isBlank(), "'" + shown + "' names no database" + FORMS);
        require(!place.equals("mem:"), "'" + shown + "' would be another database for each connection" + FORMS);
        Map<String, String> settings = settings(text.substring(shown.length()));
        String delay = settings.getOrDefault("WRITE_DELAY", "0");
        require(
                delay.equals("0"),
                "WRITE_DELAY=" + delay + " in the URL of '" + shown
                        + "' may lose locks when the process that serves the file dies; leave it out, or set it to 0");
        StringBuilder url = new StringBuilder(text);
        if (isFile(place)) {
            addMissing(url, settings, "AUTO_SERVER", "TRUE");
            addMissing(url, settings, "WRITE_DELAY", "0");
        }
        if (!place.startsWith("mem:")) {
            addMissing(url, settings, "NETWORK_TIMEOUT", Long.toString(commandTimeout.toMillis()));
        }
        requireDriver(url.toString(), shown);
        return new Address(url.toString(), shown);
    }

    private static Map<String, String> settings(String text) {
        Map<String, String> settings = new TreeMap<>();
        for (String setting : text.split(";", -1)) {
            String[] parts = setting.split("=", 2);
            settings.put(parts[0].strip().toUpperCase(Locale.ROOT), parts.length == 1 ? "" : parts[1].strip());
        }
        return settings;
    }

    private static boolean isFile(String place) {
        return !place.matches("(?s)(mem|tcp|ssl|zip):.*");
    }

    private static void addMissing(StringBuilder url, Map<String, String> settings, String name, String value) {
        if (!settings.containsKey(name)) {
            url.append(';').append(name).append('=').append(value);
        }
    }

    private static void requireDriver(String url, String shown) {
        try {
            DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException(
                    "there is no driver for '" + shown + "': add com.h2database:h2 to the class path", e);
        }
    }

    private static void require(boolean condition, String text) {
        if (!condition) {
            throw new IllegalArgumentException(text);
        }
    }

    /** What cannot be a user or password. */
    private static String kind(String url) {
        return url.replaceFirst("(?s)^(jdbc:[a-z0-9]+:).*|.*", "$1...");
    }

    @Override
    public String toString() {
        return shown;
    }
}
