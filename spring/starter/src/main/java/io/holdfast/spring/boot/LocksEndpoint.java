package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code locks}: lists the names that are held or awaited, shows one, and releases one by force.
 *
 * <p>A release by force takes the lock from an owner that may still work. It is refused with status 403 unless {@code
 * holdfast.endpoint.release-enabled} is true. Each attempt is an audit event, with the user if there is one.
 */
@Endpoint(id = "locks")
public final class LocksEndpoint {

    private static final Logger LOG = LoggerFactory.getLogger("io.holdfast.spring");
    private static final int FORBIDDEN = 403;

    private final Map<String, Holdfast> clients;
    private final boolean releaseEnabled;
    private final ApplicationEventPublisher events;

    LocksEndpoint(Map<String, Holdfast> clients, boolean releaseEnabled, ApplicationEventPublisher events) {
        this.clients = Map.copyOf(clients);
        this.releaseEnabled = releaseEnabled;
        this.events = events;
    }

    // the Nullable of Spring, because Spring Boot 3 knows no other

    /**
     * Lists the names that begin with the prefix, by the bean of their client.
     *
     * @param prefix the prefix; all names without it
     */
    @ReadOperation
    public Map<String, List<LockView>> list(@Nullable String prefix) {
        Map<String, List<LockView>> locks = new LinkedHashMap<>();
        clients.forEach((bean, client) -> locks.put(
                bean,
                client.list(prefix == null ? "" : prefix).stream()
                        .map(LockView::of)
                        .toList()));
        return locks;
    }

    /** Shows one name, by the bean of its client. A name may contain slashes. */
    @ReadOperation
    public Map<String, LockView> show(@Selector(match = Match.ALL_REMAINING) String... name) {
        Map<String, LockView> locks = new LinkedHashMap<>();
        clients.forEach((bean, client) -> locks.put(bean, LockView.of(client.inspect(String.join("/", name)))));
        return locks;
    }

    /**
     * Releases one name by force. The name is a parameter and not a part of the path, in which empty parts would be lost.
     *
     * @param client the bean of the client; not needed if there is one
     * @return status 403 if releases are not enabled, 404 if nobody holds the name, otherwise the former state
     */
    @DeleteOperation
    public WebEndpointResponse<Object> release(SecurityContext security, String name, @Nullable String client) {
        Principal principal = security.getPrincipal();
        String user = principal == null ? "" : principal.getName();
        audit(releaseEnabled ? "LOCK_RELEASE" : "LOCK_RELEASE_DENIED", user, name);
        if (!releaseEnabled) {
            return answer(FORBIDDEN, "releases are not enabled: holdfast.endpoint.release-enabled");
        }
        Holdfast chosen = client == null && clients.size() == 1
                ? clients.values().iterator().next()
                : clients.get(client + "");
        if (chosen == null) {
            return answer(
                    WebEndpointResponse.STATUS_BAD_REQUEST, "name one of the clients: ?client=" + clients.keySet());
        }
        LockView before = LockView.of(chosen.inspect(name));
        return chosen.lock(name).forceUnlock()
                ? new WebEndpointResponse<>(before)
                : answer(WebEndpointResponse.STATUS_NOT_FOUND, "nobody holds '" + name + "'");
    }

    private static WebEndpointResponse<Object> answer(int status, String text) {
        return new WebEndpointResponse<>(Map.of("error", text), status);
    }

    private void audit(String type, String user, String name) {
        LOG.warn("{} of '{}' by {}", type, name, user.isEmpty() ? "an unknown user" : user);
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(user, type, Map.of("lock", name))));
    }
}
