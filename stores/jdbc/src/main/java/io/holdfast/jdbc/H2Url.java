package io.holdfast.jdbc;

import io.holdfast.spi.StoreUri;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a database, and how to open it.
 *
 * @param url the URL for the driver, with the settings that we add and without those that only we read
 * @param shown the URL for texts, without settings, because they may contain user and password
 * @param sweepAfter the time for which a name is unused before its row may be deleted
 */
record Address(String url, String shown, Duration sweepAfter) {

    private static final String H2 = "jdbc:h2:";
    private static final Pattern RELATIVE = Pattern.compile("(file:)?[^/\\\\~.:][^:]*");
    private static final Pattern SERVED = Pattern.compile("(tcp|ssl):");
    private static final String HOST = "([^/@:,\\[\\]]+|\\[[\\p{XDigit}:.%]+])(:\\d{1,5})?";
    private static final Pattern SERVER = Pattern.compile("(tcp|ssl):(//)?" + HOST + "(," + HOST + ")*/.*");
    /** The settings that define how a file is shared, or that are incompatible with sharing it. */
    private static final Set<String> SHARING =
            Set.of("AUTO_SERVER", "FILE_LOCK", "ACCESS_MODE_DATA", "DB_CLOSE_ON_EXIT");

    private static final Duration MIN_SWEEP = Duration.ofHours(1);
    private static final Duration MAX_SWEEP = Duration.ofDays(365);
    private static final Duration DEFAULT_SWEEP = Duration.ofDays(7);
    private static final String SWEEP_AFTER = "SWEEP_AFTER";
    private static final Pattern SWEEP_SETTING = Pattern.compile("(?i)(?<!\\\\);\\s*" + SWEEP_AFTER + "\\s*=([^;]*)");
    private static final Pattern HOURS_OR_DAYS = Pattern.compile("(\\d{1,4})([hd])");

    private static final String FORMS =
            "; the forms are jdbc:h2:/path/to/file, jdbc:h2:mem:name and jdbc:h2:tcp://host/path, with settings behind ';'";

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if the URL has another form, if it has a setting that loses locks, or if there is no
     *     driver; the text shows no settings
     */
    static Address parse(String text, Duration commandTimeout) {
        require(text.startsWith(H2), "'" + kind(text) + "' is not a database that is supported yet" + FORMS);
        String base = text.split(";", 2)[0];
        String target = base.substring(H2.length());
        Duration sweepAfter = sweepAfter(text.substring(base.length()));
        String given = SWEEP_SETTING.matcher(text.substring(base.length())).replaceAll("");
        String misplacedLogin = "'" + StoreUri.masked(text)
                + "' is not understood: user and password follow the database, as ;USER=...;PASSWORD=..." + FORMS;
        require(!SERVED.matcher(target).lookingAt() || SERVER.matcher(target).matches(), misplacedLogin);
        String shown = StoreUri.masked(base);
        require(!target.isBlank(), "'" + shown + "' names no database" + FORMS);
        require(!target.equals("mem:"), "'" + shown + "' would be a separate database for each connection" + FORMS);
        require(
                !RELATIVE.matcher(target).matches(),
                "'" + shown + "' may be in any folder: write jdbc:h2:./... for the current one, or an absolute path");
        Set<String> settings = settings(given, misplacedLogin);
        // our settings precede the user's, because a backslash at the end of the user's would escape a following
        // semicolon
        String url = base + added(target, settings, commandTimeout) + given;
        requireDriver(url, shown);
        return new Address(url, shown, sweepAfter);
    }

    /** Returns the value of the last SWEEP_AFTER setting, as the driver does for its own settings. */
    private static Duration sweepAfter(String settings) {
        return SWEEP_SETTING
                .matcher(settings)
                .results()
                .map(setting -> sweepTime(setting.group(1).strip()))
                .reduce(DEFAULT_SWEEP, (before, last) -> last);
    }

    private static Duration sweepTime(String text) {
        Matcher form = HOURS_OR_DAYS.matcher(text);
        boolean known = form.matches();
        Duration time = !known
                ? Duration.ZERO
                : form.group(2).equals("h")
                        ? Duration.ofHours(Long.parseLong(form.group(1)))
                        : Duration.ofDays(Long.parseLong(form.group(1)));
        require(
                time.compareTo(MIN_SWEEP) >= 0 && time.compareTo(MAX_SWEEP) <= 0,
                SWEEP_AFTER + (known ? "=" + text + " is out of range" : " is not understood")
                        + ": 1h to 365d, in whole hours or days");
        return time;
    }

    private static String added(String target, Set<String> settings, Duration commandTimeout) {
        StringBuilder added = new StringBuilder();
        if (!target.matches("(?s)(mem|tcp|ssl|zip):.*") && Collections.disjoint(settings, SHARING)) {
            added.append(";AUTO_SERVER=TRUE");
        }
        if (!target.startsWith("mem:") && !settings.contains("NETWORK_TIMEOUT")) {
            added.append(";NETWORK_TIMEOUT=")
                    .append(Math.min(Integer.MAX_VALUE, Math.max(1, commandTimeout.toMillis())));
        }
        return added.toString();
    }

    /** Returns the names of the settings. Refuses a setting that may lose locks. */
    private static Set<String> settings(String text, String misplacedLogin) {
        Set<String> settings = new TreeSet<>();
        for (String setting : text.split("(?<!\\\\);", -1)) {
            String name = setting.split("=", 2)[0].strip().toUpperCase(Locale.ROOT);
            settings.add(name);
            require(
                    !name.equals("WRITE_DELAY") || setting.endsWith("=0"),
                    "WRITE_DELAY in the URL may lose locks when the process that serves the file dies; leave it out, or"
                            + " set it to 0");
            require(setting.isBlank() || setting.contains("="), misplacedLogin);
        }
        return settings;
    }

    /**
     * Returns a text about the process that serves the file, for the case that it does not answer. The lock file of the database
     * names that process.
     */
    String servedBy() {
        Path path = Path.of(shown.substring(H2.length())
                        .replaceFirst("^file:", "")
                        .replaceFirst("^~", Matcher.quoteReplacement(System.getProperty("user.home")))
                + ".lock.db");
        Properties lockFile = new Properties();
        try (InputStream in = Files.newInputStream(path)) {
            lockFile.load(in);
        } catch (IOException e) {
            return "";
        }
        return lockFile.containsKey("server")
                ? " from the process that serves the file at " + lockFile.getProperty("server") + " (according to "
                        + path + "); it is stopped, overloaded or cut off: resume it, or end it"
                : "";
    }

    boolean isMemory() {
        return shown.startsWith(H2 + "mem:");
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

    /** Returns the part of a URL that cannot be a user or password. */
    private static String kind(String url) {
        return url.replaceFirst("(?s)^(jdbc:[a-z0-9]+:).*|.*", "$1...");
    }

    @Override
    public String toString() {
        return shown;
    }
}
