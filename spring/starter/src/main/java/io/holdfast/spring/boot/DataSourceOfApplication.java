package io.holdfast.spring.boot;

import io.holdfast.HoldfastBuilder;
import io.holdfast.jdbc.JdbcHoldfast;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;

/** A client at the data source of the application. */
final class DataSourceOfApplication {

    private DataSourceOfApplication() {}

    static Optional<HoldfastBuilder> builder(ListableBeanFactory beans) {
        return Optional.ofNullable(beans.getBeanProvider(DataSource.class).getIfUnique())
                .map(JdbcHoldfast::builder);
    }
}
