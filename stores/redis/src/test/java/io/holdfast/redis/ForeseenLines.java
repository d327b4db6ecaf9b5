package io.holdfast.redis;

import io.holdfast.redis.LogLines.Foreseen;
import java.util.List;

/** What may be logged while a server has a fault. */
final class ForeseenLines {

    private static final String OURS = "io.holdfast";
    private static final String REDIS = "Redis at rediss?://127\\.0\\.0\\.1:\\d+";
    private static final String LETTUCE = "io.lettuce.core.protocol.";

    private static final String HELD = "(lock|read/write lock|permit)";

    private static final String CLIENT = "\\w+ \\([-\\w]+\\): ";

    static final List<Foreseen> ALWAYS = List.of(
            Foreseen.info(OURS, "\\w+ \\([-\\w]+\\): (connected|connects later) to " + REDIS, "a client begins"),
            Foreseen.info(OURS, "\\w+ \\([-\\w]+\\): closed", "a client ends"),
            Foreseen.warning(
                    OURS,
                    CLIENT + "the connection to " + REDIS
                            + " was lost; this client holds \\d+ locks and permits.*; it reconnects",
                    "a connection was lost"),
            Foreseen.warning(
                    OURS,
                    CLIENT + REDIS
                            + " is connected again at 127\\.0\\.0\\.1:\\d+ after [\\d.]+ s; locks and permits verified: \\d+, lost: \\d+.*",
                    "a connection was made anew"),
            Foreseen.warning(
                    "io.lettuce.core.RedisChannelHandler",
                    "Connection is already closed",
                    "the driver ends while a connection that was lost is being closed"));

    static final List<Foreseen> SILENT_SERVER = List.of(
            Foreseen.warning(
                    OURS,
                    some("were not renewed in time", "was not renewed in time and stays valid for -?\\d+ ms: .+")
                            + "; a " + HELD + " is lost unless " + REDIS + " answers before its lease ends",
                    "no renewal was answered for two thirds of a lease"),
            Foreseen.warning(
                    OURS,
                    some(
                                    "were released without confirmation",
                                    "was released without confirmation and expires within \\d+ ms: .+")
                            + "; the release continues in the background; check whether " + REDIS + " answers",
                    "a release was not answered within the command timeout"));

    static final List<Foreseen> LOSS = List.of(Foreseen.warning(
            OURS,
            some("were lost", "was lost by (thread|lease) [-.\\w]+ with token \\d+: .+")
                    + "; another owner may hold the " + HELD + ": fence all writes with the token",
            "the lease ran out, or the server forgot"));

    /** A request that was written to a dying server may have been applied, so the close cannot confirm its release. */
    static final List<Foreseen> UNCONFIRMED_CLOSE = List.of(Foreseen.warning(
            OURS,
            CLIENT + "closed before the release of " + HELD + " '[-\\w]+' was confirmed; its lease ends at [-:.\\w]+:"
                    + " until then it may appear held",
            "the server was killed while a request was on its way"));

    private static String some(String many, String one) {
        return CLIENT + "(\\d+ " + HELD + "s " + many + ", among them '.+'; the first: )?"
                + "((read/write )?lock|a permit of semaphore) '[-\\w]+' (with token \\d+ )?" + one;
    }

    /** Clients of Holdfast leave a connection that was lost, and make another; the test's own has Lettuce repair it. */
    static final List<Foreseen> TEST_CONNECTION = List.of(
            Foreseen.info(
                    LETTUCE + "ConnectionWatchdog",
                    "Reconnecting, last destination was .+",
                    "the server was restarted"),
            Foreseen.warning(LETTUCE + "ConnectionWatchdog", "Cannot reconnect to .+", "the server is not up yet"),
            Foreseen.info(LETTUCE + "ReconnectionHandler", "Reconnected to .+", "the server is up again"),
            Foreseen.info(
                    LETTUCE + "CommandHandler",
                    ".*Unexpected exception during request: java\\.net\\.SocketException: Connection reset",
                    "a server that is killed resets what it has not read"));

    private ForeseenLines() {}
}
