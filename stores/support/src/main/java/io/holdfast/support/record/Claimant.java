package io.holdfast.support.record;

import io.holdfast.spi.TenureId;
import java.util.Optional;

/**
 * A tenure that holds a name or waits for it.
 *
 * @param tenure the id of the tenure
 * @param session the session at the store, whose end also ends the tenure; empty if the store has no sessions
 * @param lingers {@code true} if the tenure may linger at its client, which then has to be notified of every request that is
 *     refused because of it
 */
public record Claimant(TenureId tenure, Optional<String> session, boolean lingers) {

    /** Returns a tenure that acts through the given session. */
    static Claimant of(TenureId tenure, Optional<String> session) {
        return new Claimant(tenure, session, tenure.lingers());
    }

    /** Returns the client of the tenure. */
    public Party party() {
        return new Party(tenure.clientId(), session);
    }

    Claimant withoutSession() {
        return new Claimant(tenure, Optional.empty(), lingers);
    }

    boolean isOf(String clientId) {
        return tenure.clientId().equals(clientId);
    }
}
