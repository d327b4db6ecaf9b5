package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/** The health of all clients, for Spring Boot 4. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("holdfast")
@ConditionalOnBean(Holdfast.class)
public class HoldfastHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"holdfastHealthIndicator", "holdfastHealthContributor"})
    HealthContributor holdfastHealthContributor(Map<String, Holdfast> clients) {
        return clients.size() == 1
                ? new HoldfastHealthContributor(clients.values().iterator().next())
                : CompositeHealthContributor.fromMap(clients, HoldfastHealthContributor::new);
    }
}
