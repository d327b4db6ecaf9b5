package io.holdfast.redis;

import io.holdfast.redis.LogLines.Foreseen;
import java.util.List;

/** What may be logged while a server has a fault. */
final class ForeseenLines {

    private static final String OURS = "io.holdfast";
    private static final String REDIS = "Redis at redis://127\\.0\\.0\\.1:\\d+";
    private static final String LETTUCE = "io.lettuce.core.protocol.";

    static final List<Foreseen> ALWAYS = List.of(
            Foreseen.info(OURS, "\\w+ \\([-\\w]+\\): connected to " + REDIS, "a client begins"),
            Foreseen.info(OURS, "\\w+ \\([-\\w]+\\): closed", "a client ends"),
            Foreseen.info(
                    OURS + ".redis.Session",
                    "Client [-\\w]+ is connected to redis://.+",
                    "a connection was made anew"));

    static final List<Foreseen> SILENT_SERVER = List.of(
            Foreseen.warning(
                    OURS,
                    "\\w+ \\([-\\w]+\\): RenewalLate\\[lockName=\\w+, token=\\d+, remaining=PT[-.\\dS]+, reason=.+]; the hold is lost unless "
                            + REDIS + " answers by then",
                    "no renewal was answered for two thirds of a lease"),
            Foreseen.warning(
                    OURS,
                    "\\w+ \\([-\\w]+\\): ReleaseUnconfirmed\\[lockName=\\w+, token=\\d+, remaining=PT[-.\\dS]+, reason=.+]; the release goes on"
                            + " in the background; see whether " + REDIS + " answers",
                    "a release was not answered within the command timeout"));

    static final List<Foreseen> LOSS = List.of(Foreseen.warning(
            OURS,
            "\\w+ \\([-\\w]+\\): Lost\\[lockName=\\w+, token=\\d+, owner=(thread|lease) [-.\\w]+, reason=.+]; another owner may have the"
                    + " lock: fence its writes with the token",
            "the lease ran out, or the server forgot"));

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
