package io.holdfast.redis.connection;

import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * The answer of a cluster node that did not execute a request, because the slot has moved or is migrating. If the redirection
 * cannot be followed, it is the cause of the error that a user sees.
 *
 * <p>See <a href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/">Redis cluster specification</a>.
 */
public final class Redirect extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The kinds of redirection. */
    public enum Kind {
        /** Another node has the slot. */
        MOVED,
        /** The node has the slot, but no longer the key. Another node may have it. */
        ASK,
        /** The node has some of the keys, but not all. */
        TRYAGAIN
    }

    public final Kind kind;

    private final String host;

    public final int port;

    private Redirect(Kind kind, String[] words) {
        super(String.join(" ", words), null, false, false);
        this.kind = kind;
        boolean hasTarget = kind != Kind.TRYAGAIN;
        String target = hasTarget ? words[2] : ":0";
        host = target.substring(0, target.lastIndexOf(':'));
        port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    }

    public String hostOr(String sender) {
        return host(host, sender);
    }

    /** Returns the host that a node reports; the other one if the node does not know it. */
    public static String host(String reported, String otherwise) {
        return reported.isEmpty() || reported.equals("?") || reported.equals("null") ? otherwise : reported;
    }

    /** Returns the redirection in a server's answer; empty for any other answer. */
    public static Optional<Redirect> in(String answer) {
        String[] words = answer.split(" ", -1);
        return switch (words[0]) {
            case "MOVED" -> Optional.of(new Redirect(Kind.MOVED, words));
            case "ASK" -> Optional.of(new Redirect(Kind.ASK, words));
            case "TRYAGAIN" -> Optional.of(new Redirect(Kind.TRYAGAIN, words));
            default -> Optional.empty();
        };
    }

    /** Returns the redirection in an error; empty for any other error. */
    public static Optional<Redirect> in(Throwable error) {
        Throwable plain = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return Optional.ofNullable(plain.getCause())
                .filter(Redirect.class::isInstance)
                .map(Redirect.class::cast);
    }
}
