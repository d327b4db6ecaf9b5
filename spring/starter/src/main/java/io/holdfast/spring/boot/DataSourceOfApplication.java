package io.holdfast.spring.boot;

import io.holdfast.HoldfastBuilder;
import io.holdfast.jdbc.JdbcHoldfast;
import java.util.Optional;
import javax.sql.DataSource;

/** A client at the data source of the application. */
final class DataSourceOfApplication {

    private DataSourceOfApplication() {}

    static Optional<HoldfastBuilder> builder(ClientBean bean) {
        return Optional.ofNullable(bean.using(DataSource.class).getIfUnique()).map(JdbcHoldfast::builder);
    }
}
