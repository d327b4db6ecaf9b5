package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;

/** The health of one client for Spring Boot 3: out of service if the store does not answer. */
record HoldfastHealthIndicator(Holdfast client) implements HealthIndicator {

    @Override
    public Health health() {
        HealthReport report = HealthReport.of(client);
        return Health.status(report.answering() ? Status.UP : Status.OUT_OF_SERVICE)
                .withDetails(report.details())
                .build();
    }
}
