package io.holdfast.redis;

import io.lettuce.core.RedisURI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server is, and who logs in. */
record Address(RedisURI uri) {

    private static final Pattern FORM = Pattern.compile(
            "rediss?://([^/?#\\s]*@)?(?<host>[^:/?#@,\\[\\]\\s]+|\\[[^]]+])(:[1-9]\\d{0,4})?(/\\d{0,6})?");

    /** @throws IllegalArgumentException if it has another form; the text shows the URI without its password */
    static Address parse(String text) {
        Matcher form = FORM.matcher(text);
        try {
            if (form.matches()) {
                // Java has no underscores in the hosts of URIs
                String plain = text.substring(0, form.start("host")) + "host" + text.substring(form.end("host"));
                RedisURI uri = RedisURI.create(plain);
                uri.setHost(form.group("host").replaceAll("[\\[\\]]", ""));
                return new Address(uri);
            }
        } catch (IllegalArgumentException e) {
            // its text may show the password; what was wrong is said below
        }
        throw new IllegalArgumentException("not a Redis URI: '" + text.replaceFirst("(?s)^([^:]*:/*).*@", "$1***@")
                + "'; the form is redis://[user:password@]host[:port][/database], or rediss:// for TLS, with a port up to"
                + " 65535, and with %XX for signs in user and password that mean something in a URI");
    }

    /** As in the URI, without user and password. */
    @Override
    public String toString() {
        String host = uri.getHost().contains(":") ? "[" + uri.getHost() + "]" : uri.getHost();
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        return (uri.isSsl() ? "rediss://" : "redis://") + host + ":" + uri.getPort() + database;
    }
}
