package io.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.embedded.redis.RedisServer;
import io.holdfast.spring.Locked;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** An application with the actuator, over HTTP, at a real Redis. */
@ExtendWith(OutputCaptureExtension.class)
class ActuatorTest {

    private final RedisServer server = RedisServer.start();
    private final Holdfast other = Holdfast.connect(server.uri());
    private final HttpClient http = HttpClient.newHttpClient();
    private ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Audit audit() {
            return new Audit();
        }
    }

    static class Work {

        @Locked("work/#{#id}")
        public void run(int id) {}
    }

    static class Audit {

        private final List<String> events = new CopyOnWriteArrayList<>();

        @EventListener
        void on(AuditApplicationEvent event) {
            events.add(event.getAuditEvent().getType() + " "
                    + new TreeMap<>(event.getAuditEvent().getData()));
        }
    }

    private void start(String... properties) {
        application = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "holdfast.uri=" + server.uri(),
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoint.health.group.readiness.include=readinessState,holdfast",
                        "management.health.redis.enabled=false",
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "management.info.holdfast.enabled=true")
                .properties(properties)
                .run();
    }

    @AfterEach
    void stop() {
        application.close();
        other.close();
        server.close();
    }

    private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator" + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(20))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void locksAreListedShownAndNotReleasedWithoutTheProperty(CapturedOutput output) throws Exception {
        start();
        other.lock("orders/42").lock();
        other.lock("reports\r\nforged\u001b[2K").lock();
        assertThat(send("GET", "/locks").body())
                .contains("\"name\":\"orders/42\"", "\"name\":\"reports\\r\\nforged\\u001B[2K\"");
        assertThat(send("GET", "/locks/reports%0D%0Aforged%1B%5B2K").body())
                .contains("\"name\":\"reports\\r\\nforged\\u001B[2K\"", other.clientId());
        assertThat(send("GET", "/locks?prefix=orders").body())
                .contains(other.clientId())
                .doesNotContain("reports");
        String token = "\"token\":\"" + other.lock("orders/42").fencingToken() + "\"";
        String shown = send("GET", "/locks/orders/42").body();
        // the holder's client is asked for it, and not waited for for long
        for (int i = 0; i < 100 && !shown.contains(token); i++) {
            shown = send("GET", "/locks/orders/42").body();
        }
        assertThat(shown).contains(token, "\"leaseMillis\":");
        HttpResponse<String> refused = send("DELETE", "/locks?name=orders/42");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("holdfast.endpoint.release-enabled");
        assertThat(other.lock("orders/42").isValid()).isTrue();
        assertThat(send("DELETE", "/locks?name=reports%0D%0Aforged%1B%5B2K").statusCode())
                .isEqualTo(403);
        assertThat(audited())
                .containsExactly(
                        "LOCK_RELEASE_DENIED {lock=orders/42}",
                        "LOCK_RELEASE_DENIED {lock=reports\r\nforged\u001b[2K}");
        assertThat(output.toString().lines().filter(line -> line.contains("forged")))
                .singleElement()
                .asString()
                .endsWith("LOCK_RELEASE_DENIED {lock=reports\\u000d\\u000aforged\\u001b[2K} by an unknown user");
    }

    private List<String> audited() {
        return application.getBean(Audit.class).events;
    }

    @Test
    void aNameThatIsTooLongIsABadRequest() throws Exception {
        start("holdfast.endpoint.release-enabled=true");
        String name = "x".repeat(1_000);
        HttpResponse<String> shown = send("GET", "/locks/" + name);
        assertThat(shown.statusCode()).isEqualTo(400);
        assertThat(shown.body()).contains("\"holdfast\":{\"error\":\"lock name");
        assertThat(send("DELETE", "/locks?name=" + name).statusCode()).isEqualTo(400);
    }

    @Test
    void aLockIsReleasedByForceWithTheProperty() throws Exception {
        start("holdfast.endpoint.release-enabled=true");
        other.lock("orders/42").lock();
        HttpResponse<String> released = send("DELETE", "/locks?name=orders/42");
        assertThat(released.statusCode()).isEqualTo(200);
        assertThat(released.body()).contains(other.clientId());
        assertThat(other.lock("orders/42").isLocked()).isFalse();
        assertThat(send("DELETE", "/locks?name=orders/42").statusCode()).isEqualTo(404);
        assertThat(audited())
                .containsExactly(
                        "LOCK_RELEASE {client=holdfast, lock=orders/42, outcome=released}",
                        "LOCK_RELEASE {client=holdfast, lock=orders/42, outcome=nobody held it}");
    }

    @Test
    void oneOfSeveralClientsIsNamed() throws Exception {
        start("holdfast.endpoint.release-enabled=true", "holdfast.clients.audit.uri=" + server.uri());
        other.lock("n").lock();
        assertThat(send("GET", "/locks").body()).contains("\"holdfast\":", "\"auditHoldfast\":");
        assertThat(send("DELETE", "/locks?name=n").statusCode()).isEqualTo(400);
        assertThat(send("DELETE", "/locks?name=n&client=nobody").statusCode()).isEqualTo(400);
        assertThat(audited())
                .containsExactly(
                        "LOCK_RELEASE {lock=n, outcome=no such client}",
                        "LOCK_RELEASE {lock=n, outcome=no such client}");
        assertThat(send("DELETE", "/locks?name=&client=audit").statusCode()).isEqualTo(400);
        assertThat(send("DELETE", "/locks?name=n&client=auditHoldfast").statusCode())
                .isEqualTo(200);
        other.lock("m").lock();
        assertThat(send("DELETE", "/locks?name=m&client=audit").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/health/holdfast/auditHoldfast").body()).contains("\"status\":\"UP\"");
    }

    @Test
    void theApplicationIsOutOfServiceWhileTheStoreDoesNotAnswer() throws Exception {
        start();
        Holdfast client = application.getBean(Holdfast.class);
        client.lock("n").lock();
        assertThat(send("GET", "/health/readiness").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/health/holdfast").body())
                .contains("\"status\":\"UP\"", "\"held\":1", "firstHoldEndsIn")
                .doesNotContain("failingSince");
        server.close();
        HttpResponse<String> locks = send("GET", "/locks");
        assertThat(locks.statusCode()).isEqualTo(503);
        assertThat(locks.body()).contains("\"holdfast\":{\"error\":");
        assertThat(send("GET", "/locks/n").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/health/readiness").statusCode()).isEqualTo(503);
        assertThat(send("GET", "/health/liveness").statusCode()).isEqualTo(200);
        assertThat(send("GET", "/health/holdfast").body())
                .contains("\"status\":\"OUT_OF_SERVICE\"", "failingSince", "firstHoldEndsIn", "error")
                .doesNotContain("lock 'holdfast-health'", "IOException");
    }

    @Test
    void metersAndInformation() throws Exception {
        start("holdfast.metrics.name-prefix=/");
        application.getBean(Work.class).run(1);
        application.getBean(Work.class).run(2);
        assertThat(send("GET", "/metrics/holdfast.acquire?tag=name:work&tag=outcome:acquired")
                        .body())
                .contains("\"COUNT\",\"value\":2");
        assertThat(send("GET", "/metrics").body())
                .contains("holdfast.hold", "holdfast.losses", "holdfast.lease.shortest");
        assertThat(send("GET", "/info").body())
                .contains(application.getBean(Holdfast.class).clientId());
    }
}
