package io.holdfast.spring.boot;

import io.holdfast.Holdfast;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Registers a bean for each client of {@code holdfast.clients}, with its name as qualifier. */
final class NamedClients implements ImportBeanDefinitionRegistrar, EnvironmentAware {

    private static final Bindable<Map<String, Object>> BY_NAME = Bindable.mapOf(String.class, Object.class);

    private Set<String> names = Set.of();

    @Override
    public void setEnvironment(Environment environment) {
        names = in(environment);
    }

    /** Returns the names of the clients. */
    static Set<String> in(Environment environment) {
        return Binder.get(environment)
                .bind("holdfast.clients", BY_NAME)
                .map(Map::keySet)
                .orElse(Set.of());
    }

    /** Returns the name of the bean of a client. */
    static String bean(String client) {
        return client + "Holdfast";
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        for (String name : names) {
            registry.registerBeanDefinition(bean(name), definition(name));
        }
    }

    private static RootBeanDefinition definition(String name) {
        RootBeanDefinition definition = new RootBeanDefinition(NamedClient.class);
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, Holdfast.class);
        definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
        return definition;
    }
}
