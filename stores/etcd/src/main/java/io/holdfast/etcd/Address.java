package io.holdfast.etcd;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.etcd.connection.Settings;
import io.holdfast.etcd.connection.Settings.Login;
import io.holdfast.etcd.connection.Settings.Tls;
import io.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The form of a URI. */
final class Address {

    private static final Pattern FORM =
            Pattern.compile("(etcds?)://(?:([^/?@]+)@)?([^/?@]+)((?:/[^/?]+)*)/?(?:\\?([^?]*))?");
    private static final Pattern SERVER = Pattern.compile("(?:\\[[0-9A-Fa-f:.]+]|[^\\[\\]:,\\s]+)(?::(\\d{1,5}))?");
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,3})s");
    private static final String PORT = ":2379";
    private static final Set<String> TLS_OPTIONS = Set.of("ca", "cert", "key");

    private static final String SESSION = "30s";
    private static final Duration MIN_SESSION = Duration.ofSeconds(1);
    private static final Duration MAX_SESSION = Duration.ofMinutes(2);

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
                "not an address of etcd: '" + StoreUri.masked(uri)
                        + "'; write etcd://host:2379,host:2379/path?session=30s");
        Map<String, String> options = options(form.group(5));
        boolean secure = form.group(1).equals("etcds");
        String path = form.group(4).isEmpty() ? "" : form.group(4).substring(1) + "/";
        return new Settings(
                servers(form.group(3)),
                Optional.ofNullable(form.group(2)).map(Address::login),
                secure ? Optional.of(tls(options)) : Optional.empty(),
                path + "holdfast/",
                session(options.getOrDefault("session", SESSION), secure, options));
    }

    private static Login login(String text) {
        int colon = text.indexOf(':');
        require(colon > 0, "a login is user:password");
        return new Login(decoded(text.substring(0, colon)), decoded(text.substring(colon + 1)));
    }

    private static List<String> servers(String text) {
        return Stream.of(text.split(",", -1))
                .map(server -> {
                    Matcher form = SERVER.matcher(server);
                    require(form.matches(), "not a server: '" + server + "'; write host:port");
                    return form.group(1) == null ? server + PORT : server;
                })
                .toList();
    }

    private static Map<String, String> options(@Nullable String text) {
        Map<String, String> options = new HashMap<>();
        for (String option : text == null || text.isEmpty() ? new String[0] : text.split("&", -1)) {
            int at = option.indexOf('=');
            String name = at < 0 ? option : option.substring(0, at);
            require(
                    name.equals("session") || TLS_OPTIONS.contains(name),
                    "etcd has no option " + quoted(name) + ": session, and with etcds:// ca, cert and key");
            options.put(name, at < 0 ? "" : decoded(option.substring(at + 1)));
        }
        return options;
    }

    private static Tls tls(Map<String, String> options) {
        require(
                options.containsKey("cert") == options.containsKey("key"),
                "a certificate of the client has a key: set both cert and key");
        return new Tls(file(options, "ca"), file(options, "cert"), file(options, "key"));
    }

    private static Optional<Path> file(Map<String, String> options, String name) {
        return Optional.ofNullable(options.get(name)).map(Path::of);
    }

    private static Duration session(String value, boolean secure, Map<String, String> options) {
        Set<String> ofTls = new TreeSet<>(options.keySet());
        ofTls.retainAll(TLS_OPTIONS);
        require(secure || ofTls.isEmpty(), ofTls + " are options of TLS; write etcds://");
        Matcher form = SECONDS.matcher(value);
        require(form.matches(), "session is not understood: a number of seconds with s, such as 30s");
        Duration session = Duration.ofSeconds(Long.parseLong(form.group(1)));
        require(
                session.compareTo(MIN_SESSION) >= 0 && session.compareTo(MAX_SESSION) <= 0,
                "session=" + value + " is out of range: 1s to 120s");
        return session;
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
