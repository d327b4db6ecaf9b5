package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorFallback;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code locks}, and the health and the information of clients, for the actuator. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(Endpoint.class)
@ConditionalOnBean(HoldfastProperties.class)
public class HoldfastActuatorAutoConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    LocksEndpoint locksEndpoint(
            Map<String, Holdfast> clients, HoldfastProperties properties, ApplicationEventPublisher events) {
        return new LocksEndpoint(clients, properties.endpoint().releaseEnabled(), events);
    }

    @Bean
    @ConditionalOnEnabledInfoContributor(value = "holdfast", fallback = InfoContributorFallback.DISABLE)
    InfoContributor holdfastInfo(Map<String, Holdfast> clients) {
        return builder -> clients.forEach((bean, client) -> builder.withDetail(
                bean,
                Map.of(
                        "client",
                        client.clientId(),
                        "store",
                        client.scheme(),
                        "holds",
                        client.stats().held())));
    }
}
