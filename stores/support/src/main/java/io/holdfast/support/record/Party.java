package io.holdfast.support.record;

import java.util.Optional;

/**
 * A client as a store knows it.
 *
 * @param clientId the id of the client
 * @param session the session at the store through which the client acts; empty if the store has no sessions
 */
public record Party(String clientId, Optional<String> session) {

    /** Returns a client of a store without sessions. */
    public static Party of(String clientId) {
        return new Party(clientId, Optional.empty());
    }
}
