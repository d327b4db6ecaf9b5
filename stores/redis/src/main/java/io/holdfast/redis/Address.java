package io.holdfast.redis;

import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a server is, or who knows where it is, and who logs in.
 *
 * @param uri of the server; of one that Sentinels name it has all but the place
 * @param group who names the server; empty if the URI does
 * @param options how to connect, and who else is there
 */
record Address(RedisURI uri, Optional<Group> group, UriOptions options) {

    /**
     * Sentinels, and the name by which they know a master.
     *
     * @param sentinels where they are, and who logs in there
     */
    record Group(List<RedisURI> sentinels, String master) {}

    private static final int SENTINEL_PORT = 26_379;

    private static final String LOGIN = "(?<login>[^/?#@\\s]*@)?";
    private static final String PLACE = "([^:/?#@,\\[\\]\\s]+|\\[[\\p{XDigit}:.%]+])(:[1-9]\\d{0,4})?";
    private static final String END = "(/(?<database>\\d{0,6}))?(\\?(?<options>[^#\\s]*))?";
    private static final Pattern SERVER = Pattern.compile("rediss?://" + LOGIN + "(?<places>" + PLACE + ")" + END);
    private static final Pattern SENTINELS = Pattern.compile(
            "rediss?-sentinel://" + LOGIN + "(?<places>" + PLACE + "(," + PLACE + ")*)/(?<master>[\\w.-]+)" + END);

    /** @throws IllegalArgumentException if it has another form; the text shows the URI without its password */
    static Address parse(String text) {
        boolean grouped = text.matches("(?s)rediss?-sentinel:.*");
        Matcher form = (grouped ? SENTINELS : SERVER).matcher(text);
        String problem = grouped ? "is the name of the master there? " : "";
        try {
            if (form.matches()) {
                return of(form, text.startsWith("rediss"), grouped);
            }
        } catch (UriOptions.Wrong e) {
            problem = e.getMessage() + "; ";
        } catch (IllegalArgumentException e) {
            // its text may show the password; what was wrong is said below
        }
        String shown = text.replaceFirst("(?s)\\?.*", "?***").replaceFirst("(?s)^([^:]*:/*).*@", "$1***@");
        throw new IllegalArgumentException(
                "not a Redis URI: '" + shown + "'; " + problem + "the form is "
                        + (grouped
                                ? "redis-sentinel://[user:password@]host[:port],host[:port].../MASTER[/database], or rediss-sentinel://"
                                : "redis://[user:password@]host[:port][/database][?interop=redisson], or rediss://")
                        + " for TLS, with a port up to 65535, and with %XX for signs in user and password that mean something in a URI");
    }

    private static Address of(Matcher form, boolean tls, boolean grouped) {
        String text = form.group("options");
        UriOptions options = text == null ? UriOptions.NONE : UriOptions.parse(text, grouped, tls);
        String login = Optional.ofNullable(form.group("login")).orElse("");
        String ofPlaces = grouped ? options.sentinelLogin() : login;
        int port = grouped ? SENTINEL_PORT : RedisURI.DEFAULT_REDIS_PORT;
        List<RedisURI> places = Arrays.stream(form.group("places").split(",", -1))
                .map(place -> place(place, tls, ofPlaces, port))
                .toList();
        RedisURI server = grouped ? place("master", tls, login, 1) : places.get(0);
        String database = Optional.ofNullable(form.group("database")).orElse("");
        server.setDatabase(database.isEmpty() ? 0 : Integer.parseInt(database));
        Optional<Group> group = grouped ? Optional.of(new Group(places, form.group("master"))) : Optional.empty();
        return new Address(server, group, options);
    }

    private static RedisURI place(String place, boolean tls, String login, int defaultPort) {
        int colon = place.indexOf(':', place.indexOf(']') + 1);
        String host = colon < 0 ? place : place.substring(0, colon);
        // Java has no underscores in the hosts of URIs
        RedisURI uri = RedisURI.create((tls ? "rediss://" : "redis://") + login + "host"
                + (colon < 0 ? ":" + defaultPort : place.substring(colon)));
        uri.setHost(host.replaceAll("[\\[\\]]", ""));
        return uri;
    }

    /** Whether clients of Redisson use the same locks, and are to be woken, too. */
    boolean besideRedisson() {
        return options.besideRedisson();
    }

    // ---- what is shown

    /** As in the URI, without users and passwords. */
    @Override
    public String toString() {
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        String scheme = uri.isSsl() ? "rediss" : "redis";
        return group.map(sentinels -> sentinels.sentinels().stream()
                                .map(Address::place)
                                .collect(Collectors.joining(",", scheme + "-sentinel://", "/" + sentinels.master())))
                        .orElseGet(() -> scheme + "://" + place(uri))
                + database;
    }

    /** Host and port. */
    static String place(RedisURI uri) {
        String host = uri.getHost().contains(":") ? "[" + uri.getHost() + "]" : uri.getHost();
        return host + ":" + uri.getPort();
    }
}
