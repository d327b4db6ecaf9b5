package io.holdfast.etcd.connection;

import io.grpc.Status;
import io.grpc.Status.Code;
import io.holdfast.spi.StoreException;
import io.holdfast.spi.StoreException.Effect;
import io.holdfast.support.NothingListens;
import io.holdfast.support.Stages;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;

/**
 * The texts and effects of failures.
 *
 * @param address the address of the servers
 */
record Failures(String address) {

    private static final String FULL = "database space exceeded";

    StoreException notConnected(String why) {
        return new StoreException(Effect.NOT_APPLIED, address + ": no connection now: " + why);
    }

    /** Returns the failure of a request. One that the servers have not answered may have been applied. */
    StoreException of(String what, Throwable error) {
        Throwable cause = Stages.cause(error);
        if (cause instanceof StoreException known) {
            return known;
        }
        Status status = Status.fromThrowable(cause);
        return new StoreException(effect(status), address + ": " + what + ": " + text(status, cause), cause);
    }

    /** Returns {@code true} if nothing was heard of a server. */
    static boolean isSilence(Throwable error) {
        return Status.fromThrowable(Stages.cause(error)).getCode() == Code.DEADLINE_EXCEEDED;
    }

    /** Returns {@code true} if the lease in a request does not exist. */
    static boolean isWithoutLease(Throwable error) {
        return Status.fromThrowable(Stages.cause(error)).getCode() == Code.NOT_FOUND;
    }

    /** Returns {@code true} if the servers ask for a user since this client has connected. */
    static boolean isWithoutUser(Status status) {
        return description(status).contains("user name is empty");
    }

    /** Returns {@code true} if another log-in helps. */
    static boolean isTokenTooOld(Status status) {
        String text = description(status);
        return text.contains("invalid auth token") || text.contains("revision of auth store is old");
    }

    private static String description(Status status) {
        return Optional.ofNullable(status.getDescription()).orElse("");
    }

    private static Effect effect(Status status) {
        if (isTokenTooOld(status)) {
            return Effect.NOT_APPLIED;
        }
        return switch (status.getCode()) {
            case UNAVAILABLE -> wasNeverSent(status) ? Effect.NOT_APPLIED : Effect.UNKNOWN;
            case NOT_FOUND -> Effect.NOT_APPLIED;
            case RESOURCE_EXHAUSTED -> ofResources(status);
            case INVALID_ARGUMENT, PERMISSION_DENIED, UNAUTHENTICATED, UNIMPLEMENTED, FAILED_PRECONDITION ->
                Effect.REFUSED;
            default -> Effect.UNKNOWN;
        };
    }

    /** A server that runs out of space executes the request that needed the last of it, and then reports the failure. */
    private static Effect ofResources(Status status) {
        if (description(status).contains(FULL)) {
            return Effect.UNKNOWN;
        }
        return description(status).contains("too many requests") ? Effect.NOT_APPLIED : Effect.REFUSED;
    }

    /** Returns {@code true} if the servers have no space left. */
    static boolean isFull(Throwable error) {
        return description(Status.fromThrowable(Stages.cause(error))).contains(FULL);
    }

    /** Returns {@code true} if there was no connection to send the request on. */
    private static boolean wasNeverSent(Status status) {
        Throwable cause = status.getCause();
        while (cause != null && !isOfConnecting(cause)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    private static boolean isOfConnecting(Throwable cause) {
        return cause instanceof ConnectException
                || cause instanceof NoRouteToHostException
                || cause instanceof UnknownHostException
                || cause instanceof UnresolvedAddressException;
    }

    private static String text(Status status, Throwable cause) {
        String description = description(status);
        if (status.getCode() == Code.PERMISSION_DENIED) {
            return "the role of the user does not allow it; grant it the keys below the root for reading and writing";
        } else if (description.contains("user name is empty")) {
            return "the servers require a user and password; write etcd://user:password@host:2379";
        } else if (description.contains("authentication failed")) {
            return "the servers refuse the user and password";
        } else if (description.contains(FULL)) {
            return "the database of the servers is full; compact and defragment it, then disarm the alarm NOSPACE";
        } else if (description.contains("not capable") || status.getCode() == Code.UNIMPLEMENTED) {
            return "the servers are too old: etcd 3.4 or later is required";
        } else if (NothingListens.isCauseOf(cause)) {
            return NothingListens.TEXT;
        } else if (wasNeverSent(status)) {
            return "no connection could be made: " + root(cause);
        } else if (status.getCode() == Code.DEADLINE_EXCEEDED) {
            return "there was no answer in time";
        }
        if (description.contains("shutdownNow")) {
            return "the connection was given up, because another request on it has failed, or the client was closed";
        }
        Throwable deeper = status.getCause();
        return description.isEmpty() ? root(cause) : description + (deeper == null ? "" : ": " + root(deeper));
    }

    private static String root(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return Optional.ofNullable(cause.getMessage()).orElse(cause.toString());
    }
}
