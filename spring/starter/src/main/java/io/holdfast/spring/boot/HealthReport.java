package io.holdfast.spring.boot;

import io.holdfast.ClientHealth;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.spi.StoreException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The health of one client, found by one request to the store.
 *
 * @param answering whether the store answers
 * @param details for people
 */
record HealthReport(boolean answering, Map<String, Object> details) {

    /** A name that no application uses. */
    private static final String PROBE = "holdfast-health";

    /** Asks the store, for at most the command timeout. */
    static HealthReport of(Holdfast client) {
        Optional<String> failure = probe(client);
        ClientHealth health = client.health();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", client.scheme());
        details.put("held", client.stats().held());
        failure.ifPresent(text -> details.put("error", text));
        health.failingSince().ifPresent(since -> details.put("failingSince", since.toString()));
        if (health.lateRenewals() > 0) {
            details.put("lateRenewals", health.lateRenewals());
        }
        health.shortestLease().ifPresent(lease -> details.put("firstHoldEndsIn", lease.toMillis() + " ms"));
        return new HealthReport(failure.isEmpty(), details);
    }

    private static Optional<String> probe(Holdfast client) {
        try {
            var unused = client.inspect(PROBE);
            return Optional.empty();
        } catch (HoldfastException | IllegalStateException e) {
            // the text of the cause names the store, and not the name of the probe
            Throwable shown = e.getCause() instanceof StoreException cause ? cause : e;
            return Optional.of(shown.getMessage() + "");
        }
    }
}
