package io.holdfast.jdbc;

import static io.holdfast.jdbc.Address.require;

import io.holdfast.jdbc.sql.MySql;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The URLs of PostgreSQL, MySQL and MariaDB, with settings behind a question mark. */
final class ServerUrl {

    private static final String HOST = "([^/@:,?&;=()\\[\\]]+|\\[[\\p{XDigit}:.%]+])(:\\d{1,5})?";
    private static final Pattern FORM = Pattern.compile("//" + HOST + "(," + HOST + ")*/[^/?&;=@()]+");
    static final Pattern SETTING = Pattern.compile("(?<=[?&])([A-Za-z_]+)=([^&]*)(&|$)");

    /** The settings by which a driver sends a statement again whose answer was lost. */
    private static final Map<String, String> REPEATING =
            Map.of("autoreconnect", "autoReconnect", "transactionreplay", "transactionReplay");

    private ServerUrl() {}

    /** Parses a URL, as {@link Address#parse}. */
    static Address parse(DatabaseKind kind, String text, Duration commandTimeout) {
        String base = text.split("\\?", 2)[0];
        String misunderstood = "'" + kind.scheme() + "...' is not understood; the form is " + kind.scheme()
                + "//host:port/database?user=...&password=..., with ',' between several hosts";
        require(FORM.matcher(base.substring(kind.scheme().length())).matches(), misunderstood);
        requireOneHostOfMySql(base);
        String all = text.substring(base.length());
        StoreSettings store = Address.storeSettings(SETTING, all);
        String given = Address.withoutStoreSettings(SETTING, all).replaceFirst("&$|^\\?$", "");
        Set<String> names = names(given, misunderstood);
        String url = base + given;
        for (String setting : added(kind, commandTimeout)) {
            if (!names.contains(setting.split("=", 2)[0].toLowerCase(Locale.ROOT))) {
                url += (url.contains("?") ? "&" : "?") + setting;
            }
        }
        return new Address(kind, url, base, store);
    }

    /** Returns {@code true} if a URL without settings has the form that names nothing but hosts and a database. */
    static boolean isPlain(String base) {
        return DatabaseKind.of(base)
                .filter(kind ->
                        FORM.matcher(base.substring(kind.scheme().length())).matches())
                .isPresent();
    }

    /**
     * Requires that a URL of MySQL names one host. Its driver goes back to the first host by itself, without the settings of the
     * session, among them the time zone.
     */
    static void requireOneHostOfMySql(String url) {
        String scheme = DatabaseKind.MYSQL.scheme();
        require(
                !url.startsWith(scheme) || !url.split("\\?", 2)[0].contains(","),
                "'" + scheme + "...' names several hosts, between which the driver changes by itself; name one");
    }

    /** Returns the names of the settings, in lower case. */
    private static Set<String> names(String settings, String misunderstood) {
        Set<String> names = new TreeSet<>();
        for (String setting : settings.replaceFirst("^\\?", "").split("&", -1)) {
            String name = setting.split("=", 2)[0].toLowerCase(Locale.ROOT);
            names.add(name);
            require(settings.isEmpty() || setting.matches("(?s)[A-Za-z_][\\w.]*=.*"), misunderstood);
        }
        requireNoRepetition(settings);
        return names;
    }

    /**
     * Requires that a driver sends no statement again, because that may acquire a lock twice.
     *
     * @param url a URL, or the settings of one
     */
    static void requireNoRepetition(String url) {
        for (MatchResult setting : SETTING.matcher(url).results().toList()) {
            String repeating = REPEATING.get(setting.group(1).toLowerCase(Locale.ROOT));
            require(
                    repeating == null || setting.group(2).equalsIgnoreCase("false"),
                    repeating + " in the URL would send a statement again whose answer was lost; leave it out");
        }
    }

    /** Returns the settings that are added if the URL does not have them. All limit a wait, or save the parsing of statements. */
    private static List<String> added(DatabaseKind kind, Duration commandTimeout) {
        long millis = Math.min(Integer.MAX_VALUE, Math.max(1, commandTimeout.toMillis()));
        long seconds = Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millis + 999));
        return switch (kind) {
            case POSTGRESQL ->
                List.of(
                        "connectTimeout=" + seconds,
                        "socketTimeout=" + seconds,
                        "tcpKeepAlive=true",
                        "ApplicationName=holdfast");
            case MYSQL, MARIADB ->
                List.of(
                        "connectTimeout=" + millis,
                        "socketTimeout=" + Math.max(millis, MySql.MIN_NETWORK_MILLIS),
                        "useServerPrepStmts=true",
                        "cachePrepStmts=true",
                        "prepStmtCacheSqlLimit=2048");
            case H2 -> List.of();
        };
    }
}
