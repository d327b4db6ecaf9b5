package io.holdfast.redis;

import io.lettuce.core.RedisURI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a server is, and who logs in.
 *
 * @param besideRedisson whether clients of Redisson use the same locks, and are to be woken, too
 */
record Address(RedisURI uri, boolean besideRedisson) {

    private static final Pattern FORM = Pattern.compile(
            "rediss?://([^/?#\\s]*@)?(?<host>[^:/?#@,\\[\\]\\s]+|\\[[^]]+])(:[1-9]\\d{0,4})?(/\\d{0,6})?(?<options>\\?[^#\\s]*)?");

    private static final String INTEROP = "interop";
    private static final String REDISSON = "redisson";

    /** @throws IllegalArgumentException if it has another form; the text shows the URI without its password */
    static Address parse(String text) {
        Matcher form = FORM.matcher(text);
        String problem = "";
        try {
            if (form.matches()) {
                int end = form.start("options") < 0 ? text.length() : form.start("options");
                // Java has no underscores in the hosts of URIs
                String plain = text.substring(0, form.start("host")) + "host" + text.substring(form.end("host"), end);
                RedisURI uri = RedisURI.create(plain);
                uri.setHost(form.group("host").replaceAll("[\\[\\]]", ""));
                String options = text.substring(end);
                problem = problem(options);
                if (problem.isEmpty()) {
                    return new Address(uri, !options.isEmpty());
                }
            }
        } catch (IllegalArgumentException e) {
            // its text may show the password; what was wrong is said below
        }
        String shown = text.replaceFirst("(?s)^([^:]*:/*).*@", "$1***@").replaceFirst("(?s)\\?.*", "?***");
        throw new IllegalArgumentException("not a Redis URI: '" + shown + "'; " + problem
                + "the form is redis://[user:password@]host[:port][/database][?interop=redisson], or rediss:// for TLS, with"
                + " a port up to 65535, and with %XX for signs in user and password that mean something in a URI");
    }

    /** What is wrong with the options, if anything is. Values of others are not shown: they may be secret. */
    private static String problem(String options) {
        if (options.isEmpty()) {
            return "";
        }
        String[] option = options.substring(1).split("=", 2);
        if (!option[0].equals(INTEROP)) {
            return "there is no option '" + option[0] + "'; the only one is " + INTEROP + '=' + REDISSON + "; ";
        }
        String value = option.length > 1 ? option[1] : "";
        return value.equals(REDISSON)
                ? ""
                : "the option " + INTEROP + " has no value '" + value + "'; the only one is " + REDISSON + "; ";
    }

    /** As in the URI, without user and password. */
    @Override
    public String toString() {
        String host = uri.getHost().contains(":") ? "[" + uri.getHost() + "]" : uri.getHost();
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        return (uri.isSsl() ? "rediss://" : "redis://") + host + ":" + uri.getPort() + database;
    }
}
