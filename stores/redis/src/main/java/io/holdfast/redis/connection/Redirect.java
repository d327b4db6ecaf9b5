package io.holdfast.redis.connection;

import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Why a node of a cluster did not do it: it keeps the slot no more, or is about to hand it over. Is the cause of the error that a
 * user sees if there is no way on.
 *
 * <p>See <a href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/">Redis cluster specification</a>.
 */
public final class Redirect extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What it said. */
    public enum Kind {
        /** Another node has the slot. */
        MOVED,
        /** The key is not here any more, and the slot still is; another node may have it. */
        ASK,
        /** Some of the keys are here, and some are not. */
        TRYAGAIN
    }

    public final Kind kind;

    private final String host;

    public final int port;

    private Redirect(Kind kind, String[] words) {
        super(String.join(" ", words), null, false, false);
        this.kind = kind;
        boolean elsewhere = kind != Kind.TRYAGAIN;
        String place = elsewhere ? words[2] : ":0";
        host = place.substring(0, place.lastIndexOf(':'));
        port = Integer.parseInt(place.substring(place.lastIndexOf(':') + 1));
    }

    public String hostOr(String ofWhoSaidIt) {
        return host(host, ofWhoSaidIt);
    }

    /** Where a node says that one is; some say that they do not know. */
    public static String host(String said, String otherwise) {
        return said.isEmpty() || said.equals("?") || said.equals("null") ? otherwise : said;
    }

    /** Empty for any other answer of a server. */
    public static Optional<Redirect> in(String answer) {
        String[] words = answer.split(" ", -1);
        return switch (words[0]) {
            case "MOVED" -> Optional.of(new Redirect(Kind.MOVED, words));
            case "ASK" -> Optional.of(new Redirect(Kind.ASK, words));
            case "TRYAGAIN" -> Optional.of(new Redirect(Kind.TRYAGAIN, words));
            default -> Optional.empty();
        };
    }

    /** Empty for any other error. */
    public static Optional<Redirect> in(Throwable error) {
        Throwable plain = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return Optional.ofNullable(plain.getCause())
                .filter(Redirect.class::isInstance)
                .map(Redirect.class::cast);
    }
}
