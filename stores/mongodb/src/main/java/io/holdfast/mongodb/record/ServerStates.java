package io.holdfast.mongodb.record;

import static java.util.stream.Collectors.joining;

import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ServerDescription;
import io.holdfast.support.NothingListens;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The states of the known servers, as the driver has last seen them. */
record ServerStates(ClusterDescription seen) {

    private static final String SILENT =
            "no answer in time; the server hangs, a firewall drops the packets, or only one side uses TLS";

    private List<ServerDescription> servers() {
        return seen.getServerDescriptions();
    }

    /** Returns {@code true} if nothing listens at any of the addresses. */
    boolean nothingListens() {
        return !servers().isEmpty() && servers().stream().allMatch(ServerStates::refuses);
    }

    /** Returns {@code true} if it is not known yet whether something listens at one of the addresses. */
    boolean isPending() {
        return seen.getSrvResolutionException() == null
                && !nothingListens()
                && servers().stream().allMatch(server -> refuses(server) || isUntried(server));
    }

    private static boolean refuses(ServerDescription server) {
        return Optional.ofNullable(server.getException())
                .filter(NothingListens::isCauseOf)
                .isPresent();
    }

    private static boolean isUntried(ServerDescription server) {
        return !server.isOk() && server.getException() == null;
    }

    /** Returns why there is no primary, by address; empty if there is no such reason. The text has no user and no password. */
    String reasons() {
        Stream<String> unresolved =
                Optional.ofNullable(seen.getSrvResolutionException()).map(MongoException::getMessage).stream();
        Stream<String> unusable = servers().stream()
                .filter(server -> !server.isPrimary())
                .map(server -> server.getAddress() + ": " + reason(server));
        return Stream.concat(unresolved, unusable).collect(joining("; "));
    }

    private static String reason(ServerDescription server) {
        return Optional.ofNullable(server.getException())
                .map(ServerStates::cause)
                .orElse(server.isOk() ? "it is not the primary" : SILENT);
    }

    private static String cause(Throwable error) {
        Throwable root = root(error);
        if (NothingListens.isCauseOf(error)) {
            return NothingListens.TEXT;
        } else if (root instanceof UnknownHostException) {
            return "there is no such host; check the name, and the DNS";
        } else if (root instanceof SocketTimeoutException) {
            return SILENT;
        }
        // the text of a log-in names the user
        return root instanceof MongoSecurityException ? "the log-in was not completed" : root.toString();
    }

    private static Throwable root(Throwable error) {
        return error.getCause() == null ? error : root(error.getCause());
    }
}
