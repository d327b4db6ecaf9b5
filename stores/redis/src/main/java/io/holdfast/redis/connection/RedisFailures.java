package io.holdfast.redis.connection;

import static io.holdfast.spi.Names.quoted;

import io.holdfast.Safety;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.NothingListens;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.RedisProtocolException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Converts the errors of a server or a connection to exceptions. The text says what failed and how to repair it. The effect says
 * what is known about the outcome.
 */
public final class RedisFailures {

    /** The prefix of the errors that our scripts raise. */
    private static final String OWN_ERROR = "HF";

    /** The error of a script that finds data of another program. */
    private static final String FOREIGN = "HFTYPE";

    private static final String CONNECT = "cannot connect";
    private static final String ALWAYS = "always";
    private static final String SENTINEL =
            "it is a Sentinel, which keeps no locks but knows the master; the URI is redis-sentinel://host:port/MASTER";
    private static final String CLUSTER = "it belongs to a cluster; the URI is redis-cluster://host:port,host:port...";
    private static final String NO_CLUSTER = "it belongs to no cluster; the URI is redis://host:port";
    private static final String TOO_OLD = "it does not support RESP3; use Redis 6 or later, or Valkey";

    /** The texts by which a server rejects a connection without an error code, each with the remedy. */
    private static final Map<String, String> REJECTIONS = Map.of(
            "DB index", "it has no database with that number; check its setting 'databases' and the end of the URI",
            "SELECT is not allowed in cluster mode", CLUSTER,
            "unknown command 'HELLO'", TOO_OLD,
            "unknown command `HELLO`", TOO_OLD);

    private static final String DOWN = "its cluster has no master for some slots; look at CLUSTER INFO";
    private static final String MOVING = "the slot of the name is migrating to another node, or has migrated";

    /**
     * The meanings of error codes. A request with one of these errors was not applied. In particular, a server rejects a
     * command for lack of memory only as long as its script has written nothing.
     */
    private static final Map<String, String> MEANINGS = Map.ofEntries(
            Map.entry("NOSCRIPT", "it forgets scripts as soon as they are loaded; look for SCRIPT FLUSH in a loop"),
            Map.entry("LOADING", "it is loading its data; it will answer when it has finished"),
            Map.entry("READONLY", "it is a replica; connect to the primary, or wait for the failover to end"),
            Map.entry("MASTERDOWN", "it is a replica that has lost its primary; connect to the primary"),
            Map.entry(
                    "NOREPLICAS",
                    "it has fewer replicas than its min-replicas-to-write; connect them, or wait for the failover to end"),
            Map.entry("OOM", "its memory is full; raise its maxmemory, or remove keys"),
            Map.entry("DENIED", "it is in protected mode; set a password, or bind it to safe addresses"),
            Map.entry("NOPROTO", TOO_OLD),
            Map.entry("MOVED", CLUSTER),
            Map.entry("ASK", CLUSTER),
            Map.entry("TRYAGAIN", CLUSTER),
            Map.entry("CROSSSLOT", CLUSTER),
            Map.entry("CLUSTERDOWN", CLUSTER),
            Map.entry("WRONGPASS", "it does not accept user and password; check them in the URI"),
            Map.entry("NOAUTH", "it requires a password; add it to the URI: redis://:PASSWORD@host"),
            Map.entry("NOPERM", "the user lacks a right; allow evalsha, eval, ping, the scripts' commands, and hf:*"));

    private static final Pattern COMMAND_ERROR = Pattern.compile("ERR Error running script .*: -([A-Z]+ .*)");

    /** The driver's text for a command that it did not send. */
    private static final String UNSENT = "Currently not connected";

    /** The driver's texts for a connection that was closed before the server had answered. */
    private static final String CLOSED_EARLY = "closed prematurely";

    private static final String NO_HANDSHAKE = "RedisHandshakeHandler not registered";

    private static final Set<String> PERMANENT = Set.of("WRONGPASS", "NOAUTH", "NOPERM", "OOM", "DENIED", "NOPROTO");

    private final RedisAddress server;

    /** Set when the server has accepted a connection as Redis does, or when a Sentinel has named it. */
    private volatile boolean hasAnswered;

    /** Creates the failures of a server, or of the servers that its address leads to. */
    public RedisFailures(RedisAddress server) {
        this.server = server;
    }

    /** Returns the address of the server. */
    public RedisAddress server() {
        return server;
    }

    /** Returns the failure of a request. */
    public StoreException request(String what, Throwable error) {
        Throwable cause = root(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        String text = String.valueOf(cause.getMessage());
        if (cause instanceof RedisCommandExecutionException) {
            return answer(what, text);
        }
        return text.startsWith(UNSENT)
                ? failed(Effect.NOT_APPLIED, what, "the connection was lost before it was sent")
                : failed(Effect.UNKNOWN, what, "the connection was lost before the answer: " + cause);
    }

    /**
     * Returns the failure of a renewal. A refusal is not final, because the lock is still held at the server, and the cause may
     * be repaired before the lease ends.
     */
    public StoreException renewal(Throwable error) {
        return retryable(request("renew", error));
    }

    /**
     * Returns the failure of the renewal of one name. A missing right may be granted again, but data of another program stays.
     */
    public StoreException renewal(String name, String text) {
        StoreException cause = answer("renew " + quoted(name), text);
        return code(text).equals(FOREIGN) ? cause : retryable(cause);
    }

    private static StoreException retryable(StoreException cause) {
        return cause.effect() == Effect.REFUSED
                ? new StoreException(Effect.NOT_APPLIED, cause.getMessage() + "", cause)
                : cause;
    }

    /** Returns {@code true} if a connection was closed before the server had answered. */
    static boolean isWithoutAnswer(Throwable error) {
        String text = String.valueOf(root(error).getMessage());
        return text.contains(CLOSED_EARLY) || text.contains(NO_HANDSHAKE);
    }

    /** Returns {@code true} if the error is an answer of a server. */
    static boolean isAnswer(Throwable error) {
        return root(error) instanceof RedisCommandExecutionException;
    }

    /** Returns {@code true} if the error is permanent until somebody repairs its cause. */
    public static boolean isRefusal(Throwable error) {
        return root(error) instanceof StoreException known && known.effect() == Effect.REFUSED;
    }

    /**
     * Returns {@code true} if the failure of a connect may pass by itself: the server starts, or a failover is under way. A server
     * that refuses, a port where nothing listens and nothing has answered before, and an unknown host are wrong settings. A silent
     * server has had its time.
     */
    public boolean mayPass(Throwable error) {
        return unreachable(CONNECT, error).effect() != Effect.REFUSED && noConnection(root(error)).mayPass;
    }

    /** Notes that the server has accepted a connection as Redis does, or that a Sentinel has named it. */
    public void answered() {
        hasAnswered = true;
    }

    /** Returns {@code true} if the server was demoted from master to replica. */
    public static boolean isDemotion(Throwable error) {
        return isAnswer(error) && code(String.valueOf(root(error).getMessage())).equals("READONLY");
    }

    /** Returns the reason why the server cannot keep locks; empty if it can. */
    Optional<StoreException> objection(HelloReply hello) {
        return topology(hello)
                .or(() -> hello.isMaster()
                        ? Optional.empty()
                        : Optional.of(answer(CONNECT, "READONLY its role is " + hello.role())));
    }

    /** Returns the reason why the server is not of the kind that the URI names; empty if it is. */
    public Optional<StoreException> topology(HelloReply hello) {
        return switch (hello.mode()) {
            case "sentinel" -> Optional.of(failed(Effect.REFUSED, CONNECT, SENTINEL));
            case "cluster" ->
                server.isCluster() ? Optional.empty() : Optional.of(failed(Effect.REFUSED, CONNECT, CLUSTER));
            default -> server.isCluster() ? Optional.of(failed(Effect.REFUSED, CONNECT, NO_CLUSTER)) : Optional.empty();
        };
    }

    /** Returns the failure of a connection to an address that belongs to another node now. */
    StoreException anotherNode(String id) {
        return failed(Effect.NOT_APPLIED, CONNECT, "another node has that address now, " + id);
    }

    /** Returns the failure of a request for a slot that no known node has. */
    public StoreException uncovered(String what, int slot) {
        String why = "no master keeps the slot " + slot + "; look at CLUSTER INFO and CLUSTER SLOTS";
        return failed(Effect.NOT_APPLIED, what, why);
    }

    /** Returns the failure of a request, or of a part of one, whose answer was an error. */
    public StoreException answer(String what, String text) {
        String code = code(text);
        if (code.startsWith(OWN_ERROR)) {
            return failed(Effect.REFUSED, what, text.substring(code.length() + 1));
        }
        Optional<Redirect> redirect = server.isCluster() ? Redirect.in(text) : Optional.empty();
        if (redirect.isPresent()) {
            return new StoreException(Effect.NOT_APPLIED, text(what, MOVING + " (" + text + ")"), redirect.get());
        }
        String meaning = server.isCluster() && code.equals("CLUSTERDOWN") ? DOWN : MEANINGS.get(code);
        return meaning == null || text.contains("in script")
                ? failed(Effect.UNKNOWN, what, "the server answered: " + text)
                : failed(effect(code), what, meaning + " (" + text + ")");
    }

    /** Returns the failure of a wait for replicas or disks. The master has applied the request. */
    StoreException notConfirmed(String what, Throwable error) {
        return failed(Effect.UNCONFIRMED, what, "applied, but waiting for replicas or disks failed: " + root(error));
    }

    /** Returns the failure of a request that the master has applied, but that is not on its disk. */
    StoreException notWritten(String what, long millis) {
        return failed(
                Effect.UNCONFIRMED,
                what,
                "it is not on the server's disk after " + millis
                        + " ms; set appendfsync to always, and look at aof_delayed_fsync in INFO persistence");
    }

    /**
     * Returns the failure of a server that answered WAITAOF with this error, if the error shows that the server cannot report
     * which writes are on its disk. Otherwise it is empty.
     */
    public Optional<StoreException> notDurable(Safety required, Throwable error) {
        String text = String.valueOf(root(error).getMessage());
        String why = null;
        if (text.startsWith("ERR unknown command")) {
            why = "it does not support WAITAOF; use Redis 7.2 or later, or Valkey";
        } else if (text.contains("appendonly")) {
            why = "it keeps nothing on its disk; set appendonly to yes";
        } else if (effect(code(text)) == Effect.REFUSED) {
            why = MEANINGS.get(code(text));
        }
        return Optional.ofNullable(why).map(reason -> notDurable(required, reason + " (" + text + ")"));
    }

    /** Returns the failure of a server with this configuration if its reports about its disk are unreliable; otherwise empty. */
    Optional<StoreException> notDurable(Safety required, Map<String, String> config) {
        String when = config.getOrDefault("appendfsync", ALWAYS);
        return when.equals(ALWAYS)
                ? Optional.empty()
                : Optional.of(notDurable(required, "its disk lags behind; set appendfsync to always, from " + when));
    }

    private StoreException notDurable(Safety required, String why) {
        return failed(Effect.REFUSED, "safety " + required, why);
    }

    /** Returns the failure of a request that the master has applied, but that is on too few replicas. */
    StoreException notReplicated(String what, long count, Safety required, long millis) {
        return failed(
                Effect.UNCONFIRMED,
                what,
                "only " + count + " of " + required.replicas() + " replicas have it"
                        + (required.onDisk() ? " on their disks" : "") + " after " + millis
                        + " ms; look at connected_slaves and lag in INFO replication");
    }

    /** Returns the failure of a server that can grant nothing, because too few replicas are connected to it. */
    StoreException tooFewReplicas(Safety required, String count) {
        return failed(
                Effect.REFUSED,
                "safety " + required,
                "only " + count + " replicas are connected to it, and each grant has to be on " + required.replicas()
                        + "; connect replicas (connected_slaves in INFO replication counts them), or choose a Safety"
                        + " with fewer. If the server is to refuse all writes without them, set its"
                        + " min-replicas-to-write to " + required.replicas());
    }

    /** Returns the failure of a request whose answer came from a former master. */
    StoreException replaced() {
        String who = server.isCluster() ? "other masters" : "the Sentinels";
        return failed(Effect.UNKNOWN, "answer", who + " name another master now, so it does not count");
    }

    /** Returns the failure of a request for which there is no connection. */
    public StoreException unreachable(String what, Throwable error) {
        Throwable cause = root(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        String text = String.valueOf(cause.getMessage());
        if (text.startsWith("ERR No such master")) {
            return failed(Effect.REFUSED, what, "the Sentinels know no master of that name; check it in the URI");
        } else if (text.startsWith("ERR unknown command")
                && text.toUpperCase(Locale.ROOT).contains("SENTINEL")) {
            return failed(
                    Effect.REFUSED, what, "it is not a Sentinel; its URI is redis://host:port, or try another port");
        }
        Optional<String> rejected =
                REJECTIONS.keySet().stream().filter(text::contains).findFirst().map(REJECTIONS::get);
        if (rejected.isPresent()) {
            return failed(Effect.REFUSED, what, rejected.get() + " (" + text + ")");
        }
        return failed(effect(code(text)), what, noConnection(cause).why);
    }

    /** The reason why there is no connection. It may pass by itself, or last until somebody removes it. */
    private record Reason(String why, boolean mayPass) {}

    private Reason noConnection(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        boolean closed = isWithoutAnswer(cause) || text.contains("Connection reset");
        if (text.contains("max number of clients")) {
            return new Reason("it accepts no more clients; raise its maxclients, or close others (" + text + ")", true);
        } else if (cause instanceof UnknownHostException) {
            return new Reason("there is no such host; check the name, and the DNS", false);
        } else if (NothingListens.isCauseOf(cause)) {
            return new Reason(NothingListens.TEXT, hasAnswered);
        } else if (hasAnswered && closed) {
            return new Reason(
                    "the connection was closed before an answer; check the server, and a proxy in between", true);
        } else if (cause instanceof RedisProtocolException || closed) {
            String why = "it does not answer like Redis; check host and port, and whether it requires TLS";
            return new Reason(why, closed);
        } else if (cause instanceof SSLException || cause instanceof GeneralSecurityException) {
            return new Reason(tls(text) + ": " + cause, false);
        } else if (cause instanceof TimeoutException || text.contains("timed out")) {
            String why = "no answer in time; the server hangs, a firewall drops the packets, or only one side uses TLS";
            return new Reason(why, !(cause instanceof TimeoutException || cause instanceof ConnectException));
        }
        Object shown = cause.getClass() == IOException.class ? text : cause;
        String why = MEANINGS.getOrDefault(code(text), "there is no connection: " + shown);
        return new Reason(why, !(cause instanceof ConnectException));
    }

    private static String tls(String text) {
        if (text.contains("certification path")) {
            return "its certificate is not signed by an authority that is trusted here; name one with ca=FILE";
        } else if (text.contains("certificate_required") || text.contains("bad_certificate")) {
            return "it requires a client certificate that it trusts; name yours with cert=FILE and key=FILE";
        } else if (text.contains("No subject alternative") || text.contains("No name matching")) {
            return "its certificate is for another host";
        }
        return "only one side uses TLS, or the two sides do not agree on its parameters";
    }

    /**
     * Returns the code of an error. Servers before version 7 add a text before the error of a command in a script.
     */
    private static String code(String text) {
        Matcher inScript = COMMAND_ERROR.matcher(text);
        return (inScript.lookingAt() ? inScript.group(1) : text).split(" ", 2)[0];
    }

    private static Effect effect(String code) {
        return PERMANENT.contains(code) ? Effect.REFUSED : Effect.NOT_APPLIED;
    }

    private StoreException failed(Effect effect, String what, String why) {
        return new StoreException(effect, text(what, why));
    }

    private String text(String what, String why) {
        return name() + ": " + what + ": " + why;
    }

    public String name() {
        return "Redis at " + server;
    }

    private static Throwable root(Throwable error) {
        boolean plain = error instanceof RedisCommandExecutionException
                || error instanceof StoreException
                || error instanceof UnknownHostException;
        return plain || error.getCause() == null ? error : root(error.getCause());
    }
}
