package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.spring.FencingToken;
import io.holdfast.spring.Locked;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Service;

/** One dependency, one property and one annotation give a lock, its health and its meters. */
class ShopTest {

    @SpringBootApplication
    static class Shop {}

    @Service
    static class Orders {

        private final Holdfast holdfast;

        Orders(Holdfast holdfast) {
            this.holdfast = holdfast;
        }

        @Locked("orders/#{#id}")
        public long ship(long id, @FencingToken long token) {
            assertThat(holdfast.lock("orders/" + id).isHeldByCurrentThread()).isTrue();
            return token;
        }
    }

    @Test
    void aMethodIsLocked() throws Exception {
        try (ConfigurableApplicationContext shop = SpringApplication.run(
                Shop.class,
                "--holdfast.uri=embedded:redis",
                "--server.port=0",
                "--management.endpoints.web.exposure.include=health,metrics",
                "--management.endpoint.health.show-details=always")) {
            assertThat(shop.getBean(Orders.class).ship(42, 0)).isPositive();
            assertThat(get(shop, "health/holdfast")).contains("\"status\":\"UP\"");
            assertThat(get(shop, "metrics/holdfast.acquire")).contains("\"COUNT\",\"value\":1");
        }
    }

    private static String get(ConfigurableApplicationContext shop, String path) throws Exception {
        String port = shop.getEnvironment().getRequiredProperty("local.server.port");
        URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/" + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
