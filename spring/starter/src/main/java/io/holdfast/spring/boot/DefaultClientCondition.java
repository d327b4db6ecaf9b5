package io.holdfast.spring.boot;

import io.holdfast.spring.HoldfastConnectionDetails;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless an application has further clients and no store for the default one. If it has a store, the default client must
 * not depend on whether there are further clients: methods without a qualifier would use another store then.
 */
final class DefaultClientCondition extends AnyNestedCondition {

    /** The beans of the application, such as its Redis connection, exist only in this phase. */
    DefaultClientCondition() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    /** Without a store, its creation fails and says how to choose one. */
    @Conditional(Alone.class)
    static class WithoutFurtherClients {}

    @ConditionalOnProperty("holdfast.uri")
    static class AtUri {}

    @ConditionalOnSingleCandidate(HoldfastConnectionDetails.class)
    static class AtDetails {}

    @ConditionalOnClass(name = "io.holdfast.redis.RedisStoreProvider")
    @ConditionalOnSingleCandidate(type = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
    static class AtRedis {}

    @ConditionalOnClass(name = "io.holdfast.jdbc.JdbcHoldfast")
    @ConditionalOnSingleCandidate(DataSource.class)
    static class AtDataSource {}

    /** Matches if there are no further clients. */
    static final class Alone implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return NamedClients.in(context.getEnvironment()).isEmpty();
        }
    }
}
