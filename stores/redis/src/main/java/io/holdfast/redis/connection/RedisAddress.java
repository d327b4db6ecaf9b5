package io.holdfast.redis.connection;

import io.holdfast.spi.StoreUri;
import io.lettuce.core.RedisURI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The address of a store, with the login and the options of its URI. It is the address of a server, of the Sentinels that know
 * the server, or of some nodes of a cluster.
 *
 * @param uri the server. For a master that Sentinels name, and for the nodes of a cluster, host and port are placeholders
 * @param group the Sentinels that name the server; empty if the URI names it
 * @param nodes some nodes of a cluster, which know the others; empty if the server is not in a cluster
 * @param id the id of the cluster node that must have this address; empty for any node
 * @param options the options of the URI, such as files for TLS, and whether Redisson uses the same locks
 */
public record RedisAddress(
        RedisURI uri, Optional<Group> group, List<RedisURI> nodes, Optional<String> id, UriOptions options) {

    /**
     * Sentinels, and the name by which they know a master.
     *
     * @param sentinels the addresses of the Sentinels, with their login
     */
    record Group(List<RedisURI> sentinels, String master) {}

    private static final String LOGIN = "(?<login>[^/?#@\\s]*@)?";
    private static final String PLACE = "([^:/?#@,\\[\\]\\s]+|\\[[\\p{XDigit}:.%]+])(:[1-9]\\d{0,4})?";
    private static final String PLACES = "(?<places>" + PLACE + "(," + PLACE + ")*)";
    private static final String DATABASE = "(/(?<database>\\d{0,6}))?";
    private static final String OPTIONS = "(\\?(?<options>[^#\\s]*))?";

    /** The forms of a URI. */
    enum Form {
        SERVER(
                "",
                "(?<places>" + PLACE + ")" + DATABASE,
                "redis://[user:password@]host[:port][/database][?interop=redisson]"),
        GROUP(
                "-sentinel",
                PLACES + "/(?<master>[\\w.-]+)" + DATABASE,
                "redis-sentinel://[user:password@]host[:port],host[:port].../MASTER[/database]"),
        CLUSTER("-cluster", PLACES + "/?", "redis-cluster://[user:password@]host[:port],host[:port]...");

        private final String kind;
        private final Pattern pattern;
        private final String shown;

        Form(String kind, String places, String shown) {
            this.kind = kind;
            this.pattern = Pattern.compile("rediss?" + kind + "://" + LOGIN + places + OPTIONS);
            this.shown = shown + ", or rediss" + kind + "://";
        }

        private static Form of(String text) {
            return Arrays.stream(values())
                    .filter(form -> text.matches("(?s)rediss?" + form.kind + ":.*"))
                    .findFirst()
                    .orElse(SERVER);
        }

        /** Returns a hint at the part that is probably missing. */
        private String hint() {
            return this == GROUP ? "is the name of the master missing? " : "";
        }

        private int port() {
            return this == GROUP ? 26_379 : RedisURI.DEFAULT_REDIS_PORT;
        }
    }

    /**
     * Reads the URI of a store.
     *
     * @throws IllegalArgumentException if it has another form; the text shows the URI without its password
     */
    public static RedisAddress parse(String text) {
        String uri = text.replaceFirst("^valkey(s?):", "redis$1:");
        Form form = Form.of(uri);
        Matcher parts = form.pattern.matcher(uri);
        String problem = form.hint();
        try {
            if (parts.matches()) {
                return of(form, parts, uri.startsWith("rediss"));
            }
        } catch (UriOptions.Wrong e) {
            // options with an @ may be the rest of a password, which must not be shown
            problem = parts.group("options").contains("@") ? "" : e.getMessage() + "; ";
        } catch (IllegalArgumentException e) {
            // the text of this exception may show the password; the error below says what is wrong
        }
        throw new IllegalArgumentException(
                "not a Redis URI: '" + StoreUri.masked(text) + "'; " + problem + "the form is " + form.shown
                        + " for TLS, with a port up to 65535, and with %XX for characters in user and password that have a meaning in a URI");
    }

    private static RedisAddress of(Form form, Matcher parts, boolean tls) {
        String text = parts.group("options");
        UriOptions options = text == null ? UriOptions.NONE : UriOptions.parse(text, form, tls);
        String login = Optional.ofNullable(parts.group("login")).orElse("");
        String ofPlaces = form == Form.GROUP ? options.sentinelLogin() : login;
        List<RedisURI> places = Arrays.stream(parts.group("places").split(",", -1))
                .map(place -> place(place, tls, ofPlaces, form.port()))
                .toList();
        RedisURI other = place("any", tls, login, 1);
        return switch (form) {
            case SERVER ->
                new RedisAddress(
                        inDatabase(places.get(0), parts), Optional.empty(), List.of(), Optional.empty(), options);
            case GROUP -> {
                Group group = new Group(places, parts.group("master"));
                yield new RedisAddress(
                        inDatabase(other, parts), Optional.of(group), List.of(), Optional.empty(), options);
            }
            case CLUSTER -> new RedisAddress(other, Optional.empty(), places, Optional.empty(), options);
        };
    }

    private static RedisURI inDatabase(RedisURI server, Matcher parts) {
        String database = Optional.ofNullable(parts.group("database")).orElse("");
        server.setDatabase(database.isEmpty() ? 0 : Integer.parseInt(database));
        return server;
    }

    /** Returns the address of a cluster node. With an empty id, it may be any node. */
    public RedisAddress node(String nodeId, String host, int port) {
        RedisURI node = RedisURI.builder(uri).withHost(host).withPort(port).build();
        return new RedisAddress(
                node, group, List.of(node), Optional.of(nodeId).filter(known -> !known.isEmpty()), options);
    }

    /** Returns {@code true} for a cluster and for a node of a cluster. */
    public boolean isCluster() {
        return !nodes.isEmpty();
    }

    private static RedisURI place(String place, boolean tls, String login, int defaultPort) {
        int colon = place.indexOf(':', place.indexOf(']') + 1);
        String host = colon < 0 ? place : place.substring(0, colon);
        // Java rejects underscores in the host of a URI
        RedisURI uri = RedisURI.create((tls ? "rediss://" : "redis://") + login + "host"
                + (colon < 0 ? ":" + defaultPort : place.substring(colon)));
        uri.setHost(host.replaceAll("[\\[\\]]", ""));
        return uri;
    }

    /** Returns {@code true} if clients of Redisson use the same locks, and have to be woken. */
    public boolean besideRedisson() {
        return options.besideRedisson();
    }

    // ---- texts

    /** Returns the URI without user and password. */
    @Override
    public String toString() {
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        String scheme = uri.isSsl() ? "rediss" : "redis";
        if (isCluster()) {
            return scheme + "-cluster://" + places(nodes);
        }
        return group.map(known -> scheme + "-sentinel://" + places(known.sentinels()) + "/" + known.master())
                        .orElseGet(() -> scheme + "://" + place(uri))
                + database;
    }

    private static String places(List<RedisURI> uris) {
        return uris.stream().map(RedisAddress::place).collect(Collectors.joining(","));
    }

    /** Returns host and port. */
    public static String place(RedisURI uri) {
        return place(uri.getHost(), uri.getPort());
    }

    static String place(String host, int port) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
