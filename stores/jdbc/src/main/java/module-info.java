/** The store for databases. */
module io.holdfast.jdbc {
    exports io.holdfast.jdbc;

    requires com.zaxxer.hikari;
    requires io.holdfast;
    requires io.holdfast.support;
    requires static com.google.errorprone.annotations;
    requires transitive java.sql;
    requires static org.checkerframework.checker.qual;
    requires static org.postgresql.jdbc;
    requires org.slf4j;

    provides io.holdfast.spi.StoreProvider with
            io.holdfast.jdbc.JdbcStoreProvider;
}
