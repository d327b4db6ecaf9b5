package io.holdfast.zookeeper.connection;

import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.NothingListens;
import io.holdfast.support.Stages;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * The texts and effects of failures.
 *
 * @param address the address of the servers
 */
record Failures(String address) {

    StoreException notConnected(String why) {
        return notConnected(why, null);
    }

    private StoreException notConnected(String why, @Nullable Throwable cause) {
        return new StoreException(Effect.NOT_APPLIED, address + ": no connection now: " + why, cause);
    }

    /** Returns the failure of a connect that every server has refused. */
    StoreException nothingListens(IOException refusal) {
        return notConnected(NothingListens.TEXT, refusal);
    }

    /** Returns the text about a server that cannot be reached. */
    static String unreachable(InetSocketAddress server, IOException why) {
        return server.getHostString() + ":" + server.getPort() + ": " + unreachable(why);
    }

    private static String unreachable(IOException why) {
        if (NothingListens.isCauseOf(why)) {
            return NothingListens.TEXT;
        }
        return why instanceof UnknownHostException
                ? "there is no such host; check the name, and the DNS"
                : String.valueOf(why.getMessage());
    }

    /** Returns the failure of a session whose node the servers do not have any more. */
    StoreException nodeDeleted() {
        return notConnected("somebody has deleted the node of the session");
    }

    /** Returns the failure of a session of which the servers have an earlier state, because they were restored from a backup. */
    StoreException nodeRestored() {
        return notConnected("the servers have an earlier state of the session");
    }

    /** Returns the failure of a request. One that the servers have not answered may have been applied. */
    StoreException of(String what, Throwable error) {
        Throwable cause = Stages.cause(error);
        return cause instanceof StoreException known
                ? known
                : new StoreException(effect(cause), address + ": " + what + ": " + text(cause), cause);
    }

    private static Effect effect(Throwable cause) {
        if (!(cause instanceof KeeperException failure)) {
            return Effect.UNKNOWN;
        }
        return switch (failure.code()) {
            case SESSIONMOVED, THROTTLEDOP -> Effect.NOT_APPLIED;
            case NOAUTH,
                    AUTHFAILED,
                    INVALIDACL,
                    NOTREADONLY,
                    BADARGUMENTS,
                    QUOTAEXCEEDED,
                    UNIMPLEMENTED,
                    MARSHALLINGERROR -> Effect.REFUSED;
            default -> Effect.UNKNOWN;
        };
    }

    private String text(Throwable cause) {
        if (!(cause instanceof KeeperException failure)) {
            return Optional.ofNullable(cause.getMessage()).orElse(cause.toString());
        }
        return switch (failure.code()) {
            case CONNECTIONLOSS -> "the connection was lost before the answer";
            case SESSIONEXPIRED -> "the session has expired; every hold of this client is lost";
            case SESSIONMOVED -> "the session has moved to another server; retry";
            case NOAUTH ->
                "the access list of the node does not allow it: " + failure.getPath()
                        + "; state the user and password that have created it";
            case AUTHFAILED -> "the servers refuse the user and password";
            case QUOTAEXCEEDED -> "a quota of " + failure.getPath() + " is exceeded";
            case UNIMPLEMENTED -> "the servers are too old: ZooKeeper 3.6 or later is required";
            default -> failure.code() + " at " + failure.getPath();
        };
    }
}
