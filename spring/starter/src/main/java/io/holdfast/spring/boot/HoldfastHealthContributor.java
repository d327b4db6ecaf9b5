package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** The health of one client for Spring Boot 4: out of service if the store does not answer. */
record HoldfastHealthContributor(Holdfast client) implements HealthIndicator {

    @Override
    public Health health() {
        HealthReport report = HealthReport.of(client);
        return Health.status(report.answering() ? Status.UP : Status.OUT_OF_SERVICE)
                .withDetails(report.details())
                .build();
    }
}
