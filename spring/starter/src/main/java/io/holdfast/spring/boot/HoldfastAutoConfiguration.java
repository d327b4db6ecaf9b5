package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import io.holdfast.spring.aop.Clients;
import io.holdfast.spring.aop.Elections;
import io.holdfast.spring.aop.HoldfastAdvisors;
import io.holdfast.spring.aop.TransactionsUnderLocks;
import java.util.List;
import java.util.Optional;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Creates the clients of {@code holdfast.uri} and {@code holdfast.clients}, and applies the annotations.
 *
 * <p>The default client is created unless the application has a bean of the type {@link Holdfast} of its own. A client is closed
 * when its bean is destroyed, which is after the web server, the executors and the schedulers of the application have stopped.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnProperty(name = "holdfast.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
@Import(NamedClients.class)
public class HoldfastAutoConfiguration {

    /** Creates the default client. */
    @Bean(ClientBean.DEFAULT)
    @Primary
    @Conditional(DefaultClientCondition.class)
    @ConditionalOnMissingBean
    Holdfast holdfast(HoldfastProperties properties, ConfigurableListableBeanFactory beans, Environment environment) {
        ClientOptions options = properties.client();
        ClientBean bean = new ClientBean(beans, ClientBean.DEFAULT);
        return new ClientFactory(bean, environment).create("", options, new Stores(bean).builder(options));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ShutdownOrder holdfastShutdownOrder(ConfigurableListableBeanFactory beans) {
        return new ShutdownOrder(beans);
    }

    /** Applies the annotations. */
    @Configuration(proxyBeanMethods = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @Import(AutoProxying.class)
    static class Annotations {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Clients holdfastClients(ListableBeanFactory beans) {
            return new Clients(
                    name -> name.isEmpty()
                            ? beans.getBean(Holdfast.class)
                            : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Holdfast.class, name),
                    name -> missing(beans, name));
        }

        private static Optional<String> missing(ListableBeanFactory beans, String qualifier) {
            List<String> names =
                    List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Holdfast.class, true, false));
            return names.stream()
                            .anyMatch(
                                    name -> BeanFactoryAnnotationUtils.isQualifierMatch(qualifier::equals, name, beans))
                    ? Optional.empty()
                    : Optional.of(
                            "there is no client '" + qualifier + "'; the beans of the type Holdfast are " + names);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Elections holdfastElections(Clients clients, ApplicationEventPublisher events) {
            return new Elections(clients, events);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor lockedAdvisor(BeanFactory beans, Clients clients, Environment environment) {
            HoldfastProperties.Annotations options = HoldfastProperties.annotations(environment);
            return HoldfastAdvisors.locked(
                    beans, environment::resolveRequiredPlaceholders, clients, options.waitTime(), options.order());
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor runOnceAdvisor(Clients clients, Environment environment) {
            return HoldfastAdvisors.runOnce(
                    environment::resolveRequiredPlaceholders,
                    clients,
                    HoldfastProperties.annotations(environment).order());
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor leaderOnlyAdvisor(Clients clients, Elections elections, Environment environment) {
            return HoldfastAdvisors.leaderOnly(
                    environment::resolveRequiredPlaceholders,
                    clients,
                    elections,
                    HoldfastProperties.annotations(environment).order());
        }
    }

    /** Guards the commits of methods with locks, in an application with transactions. */
    @Configuration(proxyBeanMethods = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnClass(TransactionExecutionListener.class)
    static class Commits {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        TransactionExecutionListener holdfastTransactions() {
            return new TransactionsUnderLocks();
        }
    }

    /**
     * Makes Spring create proxies, also in an application without AspectJ: by classes, unless {@code spring.aop.proxy-target-class}
     * is false.
     */
    static class AutoProxying implements ImportBeanDefinitionRegistrar, EnvironmentAware {

        private boolean byClasses = true;

        @Override
        public void setEnvironment(Environment environment) {
            byClasses = !"false".equalsIgnoreCase(environment.getProperty("spring.aop.proxy-target-class"));
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (byClasses) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
