package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.micrometer.HoldfastMetrics;
import io.holdfast.micrometer.HoldfastObservations;
import io.holdfast.micrometer.LockNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers the meters of all clients, and observes their acquires and holds if the application has a tracer. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, HoldfastMetrics.class})
@ConditionalOnBean(HoldfastProperties.class)
public class HoldfastMetricsAutoConfiguration {

    /** Meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "holdfast.metrics.enabled", havingValue = "true", matchIfMissing = true)
    static class Meters {

        /** Binds the meters of each client. The tag {@code client} has the name of its bean if there are several. */
        @Bean
        MeterBinder holdfastMeters(ListableBeanFactory beans, HoldfastProperties properties) {
            return registry -> {
                Map<String, Holdfast> clients = beans.getBeansOfType(Holdfast.class);
                clients.forEach((name, client) -> {
                    HoldfastMetrics metrics = configured(HoldfastMetrics.of(client), properties.metrics());
                    (clients.size() > 1 ? metrics.withTags(Tags.of("client", name)) : metrics).bindTo(registry);
                });
            };
        }

        private static HoldfastMetrics configured(HoldfastMetrics metrics, HoldfastProperties.Metrics options) {
            double[] percentiles = options.percentiles().stream()
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            HoldfastMetrics all = percentiles.length == 0 ? metrics : metrics.withPercentiles(percentiles);
            return names(options).map(all::withNames).orElse(all);
        }
    }

    /** Observations, which cost more than meters, and are of use with a tracer only. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.micrometer.tracing.Tracer")
    @ConditionalOnProperty(name = "holdfast.tracing.enabled", havingValue = "true", matchIfMissing = true)
    static class Observations {

        @Bean
        SmartInitializingSingleton holdfastObservations(ListableBeanFactory beans, HoldfastProperties properties) {
            return () -> beans.getBeanProvider(ObservationRegistry.class)
                    .ifUnique(registry -> beans.getBeansOfType(Holdfast.class)
                            .values()
                            .forEach(client ->
                                    client.addObserver(observations(client, registry, properties.metrics()))));
        }

        private static HoldfastObservations observations(
                Holdfast client, ObservationRegistry registry, HoldfastProperties.Metrics options) {
            HoldfastObservations all = HoldfastObservations.of(client, registry);
            return names(options).map(all::withNames).orElse(all);
        }

        /** The timers that Spring Boot makes from observations would repeat those of the meters. */
        @Bean
        MeterFilter holdfastObservationsAreNoMeters() {
            return MeterFilter.denyNameStartsWith("holdfast.lock.");
        }
    }

    private static Optional<LockNames> names(HoldfastProperties.Metrics options) {
        if (!options.names().isEmpty()) {
            return Optional.of(LockNames.only(options.names()));
        }
        return Optional.ofNullable(options.namePrefix()).map(LockNames::before);
    }
}
