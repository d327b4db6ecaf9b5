package io.holdfast.jdbc;

import static io.holdfast.jdbc.Address.require;

import io.holdfast.spi.StoreUri;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The URLs of H2, with settings behind semicolons. */
final class H2Url {

    private static final String H2 = DatabaseKind.H2.scheme();
    private static final Pattern RELATIVE = Pattern.compile("(file:)?[^/\\\\~.:][^:]*");
    private static final Pattern SERVED = Pattern.compile("(tcp|ssl):");
    private static final String HOST = "([^/@:,\\[\\]]+|\\[[\\p{XDigit}:.%]+])(:\\d{1,5})?";
    private static final Pattern SERVER = Pattern.compile("(tcp|ssl):(//)?" + HOST + "(," + HOST + ")*/.*");
    private static final Pattern MEMORY = Pattern.compile("((tcp|ssl):(//)?[^/]*/)?mem:");

    /** The settings that define how a file is shared, or that are incompatible with sharing it. */
    private static final Set<String> SHARING =
            Set.of("AUTO_SERVER", "FILE_LOCK", "ACCESS_MODE_DATA", "DB_CLOSE_ON_EXIT");

    private static final Pattern SETTING = Pattern.compile("(?<!\\\\);\\s*([A-Za-z_]+)\\s*=([^;]*)");
    private static final String FORMS =
            "; the forms are jdbc:h2:/path/to/file, jdbc:h2:mem:name and jdbc:h2:tcp://host/path, with settings behind ';'";

    private H2Url() {}

    /** Parses a URL, as {@link Address#parse}. */
    static Address parse(String text, Duration commandTimeout) {
        String base = text.split(";", 2)[0];
        String target = base.substring(H2.length());
        String all = text.substring(base.length());
        StoreSettings store = Address.storeSettings(SETTING, all);
        String given = Address.withoutStoreSettings(SETTING, all);
        String misplacedLogin = "'" + StoreUri.masked(text)
                + "' is not understood: user and password follow the database, as ;USER=...;PASSWORD=..." + FORMS;
        require(!SERVED.matcher(target).lookingAt() || SERVER.matcher(target).matches(), misplacedLogin);
        String shown = StoreUri.masked(base);
        require(!target.isBlank(), "'" + shown + "' names no database" + FORMS);
        require(
                !MEMORY.matcher(target).matches(),
                "'" + shown + "' would be a separate database for each connection" + FORMS);
        require(
                !RELATIVE.matcher(target).matches(),
                "'" + shown + "' may be in any folder: write jdbc:h2:./... for the current one, or an absolute path");
        Set<String> settings = settings(given, misplacedLogin);
        // our settings precede the user's, because a backslash at the end of the user's would escape a following
        // semicolon
        String url = base + added(target, settings, commandTimeout) + given;
        return new Address(DatabaseKind.H2, url, shown, settings.contains("SCHEMA") ? store.withNamedSchema() : store);
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
    static String servedBy(String shown) {
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

    /** Returns {@code true} for a database in memory, of this process or of a server. */
    static boolean isMemory(String shown) {
        return MEMORY.matcher(shown.substring(H2.length())).lookingAt();
    }
}
