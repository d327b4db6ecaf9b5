package io.holdfast.jdbc;

import io.holdfast.jdbc.sql.Dialect;
import io.holdfast.jdbc.sql.H2;
import io.holdfast.jdbc.sql.MySql;
import io.holdfast.jdbc.sql.PostgreSql;
import java.util.Optional;
import java.util.stream.Stream;

/** The kinds of database that the store supports, by the beginning of their URLs. */
enum DatabaseKind {
    POSTGRESQL("PostgreSQL", "jdbc:postgresql:", "org.postgresql:postgresql"),
    MYSQL("MySQL", "jdbc:mysql:", "com.mysql:mysql-connector-j"),
    MARIADB("MariaDB", "jdbc:mariadb:", "org.mariadb.jdbc:mariadb-java-client"),
    H2("H2", "jdbc:h2:", "com.h2database:h2");

    private final String product;
    private final String scheme;
    private final String artifact;

    DatabaseKind(String product, String scheme, String artifact) {
        this.product = product;
        this.scheme = scheme;
        this.artifact = artifact;
    }

    static Optional<DatabaseKind> of(String url) {
        return Stream.of(values()).filter(kind -> url.startsWith(kind.scheme)).findFirst();
    }

    /** Returns the kind of a product, by the name that its driver reports. */
    static Optional<DatabaseKind> ofProduct(String product) {
        return Stream.of(values()).filter(kind -> kind.product.equals(product)).findFirst();
    }

    String scheme() {
        return scheme;
    }

    /** Returns the artifact of the driver. */
    String artifact() {
        return artifact;
    }

    Dialect dialect(StoreSettings settings) {
        return switch (this) {
            case POSTGRESQL -> new PostgreSql(settings.tables());
            case MYSQL, MARIADB -> new MySql(product, settings.tables(), settings.oneWriter());
            case H2 -> new H2(settings.tables());
        };
    }
}
