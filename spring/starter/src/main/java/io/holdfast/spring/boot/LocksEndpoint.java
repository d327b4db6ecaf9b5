package io.holdfast.spring.boot;

import static io.holdfast.spi.Names.printable;
import static io.holdfast.spi.Names.quoted;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
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
     * @return status 503 if a store does not answer, with the error in place of the names of its client
     */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> list(@Nullable String prefix) {
        return askAll(client -> client.list(prefix == null ? "" : prefix).stream()
                .map(LockView::of)
                .toList());
    }

    /**
     * Shows one name, by the bean of its client. A name may contain slashes.
     *
     * @return status 400 if a client accepts no such name; status 503 if a store does not answer, with the error in place of the state at its client
     */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> show(@Selector(match = Match.ALL_REMAINING) String... name) {
        return askAll(client -> LockView.of(client.inspect(String.join("/", name))));
    }

    private WebEndpointResponse<Map<String, Object>> askAll(Function<Holdfast, Object> question) {
        Map<String, Object> answers = new LinkedHashMap<>();
        int status = WebEndpointResponse.STATUS_OK;
        for (Map.Entry<String, Holdfast> client : clients.entrySet()) {
            try {
                answers.put(client.getKey(), question.apply(client.getValue()));
            } catch (HoldfastException | IllegalStateException e) {
                status = WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
                answers.put(client.getKey(), error(e.getMessage()));
            } catch (IllegalArgumentException e) {
                return new WebEndpointResponse<>(
                        Map.of(client.getKey(), error(e.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
            }
        }
        return new WebEndpointResponse<>(answers, status);
    }

    /**
     * Releases one name by force. The name is a parameter and not a part of the path, in which empty parts would be lost.
     *
     * @param client the bean of the client, or its qualifier; not needed if there is one client
     * @return status 403 if releases are not enabled, 404 if nobody holds the name, 503 if the store does not answer, otherwise
     *     the state before the release
     */
    @DeleteOperation
    public WebEndpointResponse<Object> release(SecurityContext security, String name, @Nullable String client) {
        if (!releaseEnabled) {
            audit("LOCK_RELEASE_DENIED", security, Map.of("lock", name));
            return answer(FORBIDDEN, "releases are not enabled: holdfast.endpoint.release-enabled");
        }
        Optional<String> bean = bean(client);
        if (bean.isEmpty()) {
            audit("LOCK_RELEASE", security, Map.of("lock", name, "outcome", "no such client"));
            return answer(
                    WebEndpointResponse.STATUS_BAD_REQUEST,
                    "name one of the clients as ?client=: " + String.join(", ", clients.keySet()));
        }
        return forceUnlock(security, name, bean.get());
    }

    private Optional<String> bean(@Nullable String client) {
        return client == null
                ? Optional.of(clients.keySet())
                        .filter(all -> all.size() == 1)
                        .map(all -> all.iterator().next())
                : Stream.of(client, NamedClients.bean(client))
                        .filter(clients::containsKey)
                        .findFirst();
    }

    private WebEndpointResponse<Object> forceUnlock(SecurityContext security, String name, String bean) {
        Holdfast client = Objects.requireNonNull(clients.get(bean));
        String outcome = "unknown";
        try {
            LockView before = LockView.of(client.inspect(name));
            boolean released = client.lock(name).forceUnlock();
            outcome = released ? "released" : "nobody held it";
            return released
                    ? new WebEndpointResponse<>(before)
                    : answer(WebEndpointResponse.STATUS_NOT_FOUND, "nobody holds " + quoted(name));
        } catch (HoldfastException | IllegalStateException e) {
            return answer(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, e.getMessage());
        } catch (IllegalArgumentException e) {
            outcome = "no valid name";
            return answer(WebEndpointResponse.STATUS_BAD_REQUEST, e.getMessage());
        } finally {
            audit("LOCK_RELEASE", security, Map.of("lock", name, "client", bean, "outcome", outcome));
        }
    }

    private static WebEndpointResponse<Object> answer(int status, @Nullable String text) {
        return new WebEndpointResponse<>(error(text), status);
    }

    private static Map<String, String> error(@Nullable String text) {
        return Map.of("error", String.valueOf(text));
    }

    private void audit(String type, SecurityContext security, Map<String, Object> data) {
        Principal principal = security.getPrincipal();
        String user = principal == null ? "" : principal.getName();
        String who = user.isEmpty() ? "an unknown user" : user;
        LOG.warn("{}", printable(type + " " + new TreeMap<>(data) + " by " + who));
        events.publishEvent(new AuditApplicationEvent(new AuditEvent(user, type, data)));
    }
}
