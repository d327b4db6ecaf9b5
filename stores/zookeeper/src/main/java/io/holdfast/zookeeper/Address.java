package io.holdfast.zookeeper;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.spi.StoreUri;
import io.holdfast.zookeeper.connection.Settings;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The form of a URI. */
final class Address {

    private static final Pattern FORM =
            Pattern.compile("(?:zookeeper|zk)://(?:([^/?@]+)@)?([^/?@]+)((?:/[^/?]+)*)/?(?:\\?([^?]*))?");
    private static final Pattern SERVER = Pattern.compile("(?:\\[[0-9A-Fa-f:.]+]|[^\\[\\]:,\\s]+)(?::(\\d{1,5}))?");
    private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s)");
    private static final String PORT = ":2181";

    private static final Set<String> NAMES = Set.of("session", "tick");
    /** The settings of ZooKeeper's client for TLS. */
    private static final SortedSet<String> TLS = new TreeSet<>(List.of(
            "ssl.hostnameVerification",
            "ssl.keyStore.location",
            "ssl.keyStore.password",
            "ssl.keyStore.type",
            "ssl.trustStore.location",
            "ssl.trustStore.password",
            "ssl.trustStore.type"));

    private static final Duration SESSION = Duration.ofSeconds(30);
    private static final Duration MIN_SESSION = Duration.ofSeconds(1);
    private static final Duration MAX_SESSION = Duration.ofMinutes(2);
    private static final Duration TICK = Duration.ofSeconds(2);

    private Address() {}

    /**
     * Parses a URI.
     *
     * @throws IllegalArgumentException if it has another form; the text shows no password
     */
    static Settings parse(String uri) {
        Matcher form = FORM.matcher(uri);
        require(
                form.matches(),
                "not an address of ZooKeeper: '" + StoreUri.masked(uri)
                        + "'; write zookeeper://host:2181,host:2181/path?session=30s");
        Optional<String> login = Optional.ofNullable(form.group(1)).map(Address::decoded);
        login.ifPresent(text -> require(text.indexOf(':') > 0, "a login is user:password"));
        String root = form.group(3) + "/holdfast";
        Map<String, String> options = options(form.group(4));
        Duration session = Optional.ofNullable(options.remove("session"))
                .map(Address::session)
                .orElse(SESSION);
        Duration tick = Optional.ofNullable(options.remove("tick"))
                .map(value -> time("tick", value))
                .orElse(TICK);
        require(
                session.compareTo(tick.multipliedBy(4)) >= 0,
                "session=" + session.toMillis() + "ms is less than four ticks of " + tick.toMillis()
                        + " ms: a session could end between two signs of life. Set tick to the tickTime of the servers");
        return new Settings(servers(form.group(2)), login, root, session, tick, options);
    }

    private static String servers(String text) {
        StringBuilder servers = new StringBuilder();
        for (String server : text.split(",", -1)) {
            Matcher form = SERVER.matcher(server);
            require(form.matches(), "not a server: '" + server + "'; write host:port");
            servers.append(servers.isEmpty() ? "" : ",").append(server).append(form.group(1) == null ? PORT : "");
        }
        return servers.toString();
    }

    private static Map<String, String> options(@Nullable String text) {
        Map<String, String> options = new TreeMap<>();
        for (String option : text == null || text.isEmpty() ? new String[0] : text.split("&", -1)) {
            int at = option.indexOf('=');
            String name = at < 0 ? option : option.substring(0, at);
            require(
                    NAMES.contains(name) || TLS.contains(name),
                    "ZooKeeper has no option " + quoted(name) + ": session, tick, " + String.join(", ", TLS));
            String value = at < 0 ? "" : decoded(option.substring(at + 1));
            require(
                    !name.endsWith(".location") || Files.isReadable(Path.of(value)),
                    name + ": the file " + value + " cannot be read");
            options.put(name, value);
        }
        return options;
    }

    private static Duration session(String value) {
        Duration session = time("session", value);
        require(
                session.compareTo(MIN_SESSION) >= 0 && session.compareTo(MAX_SESSION) <= 0,
                "session=" + value + " is out of range: 1s to 120s");
        return session;
    }

    private static Duration time(String name, String value) {
        Matcher form = TIME.matcher(value);
        require(form.matches(), name + " is not understood: a number with s or ms, such as 30s");
        long number = Long.parseLong(form.group(1));
        return form.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static void require(boolean condition, String text) {
        if (!condition) {
            throw new IllegalArgumentException(text);
        }
    }
}
