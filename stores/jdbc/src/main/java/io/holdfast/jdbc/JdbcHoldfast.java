package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastBuilder;
import javax.sql.DataSource;

/**
 * Clients whose locks are rows of a database to which an application already has a {@link DataSource}.
 *
 * <p>A client borrows connections from the data source, on threads of its own, and never closes the data source. So it is never
 * part of a transaction of the caller: a lock stays held if that transaction is rolled back. It borrows at most five connections,
 * and one more for notifications of PostgreSQL. It keeps one of them, and returns the others if they were not used for 10 to 40
 * seconds. It returns each after five minutes, with the settings that it had. Make the pool large enough for both, because an
 * empty pool delays locks and their renewal.
 */
public final class JdbcHoldfast {

    private JdbcHoldfast() {}

    /**
     * Connects to the database of a data source, with the defaults of {@link HoldfastBuilder}.
     *
     * @param dataSource a source of connections to PostgreSQL, MySQL, MariaDB or H2; its owner closes it after the client
     * @throws IllegalArgumentException if it is another database, or if the driver would send a statement again whose answer was
     *     lost
     * @throws io.holdfast.StoreUnavailableException if the data source returns no connection within the connect timeout
     * @throws io.holdfast.StoreRefusedException if the database refuses, for example because of a missing right
     */
    public static Holdfast connect(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * Returns the builder of a client for the database of a data source. The URI of the builder is {@code jdbc:datasource}, and
     * may have the settings of the store, for example {@code jdbc:datasource?tablePrefix=app.holdfast_}. Such a client cannot be
     * {@linkplain HoldfastBuilder#lazy lazy}, because its first connection tells which database it is.
     *
     * @param dataSource a source of connections to PostgreSQL, MySQL, MariaDB or H2; its owner closes it after the client
     */
    public static HoldfastBuilder builder(DataSource dataSource) {
        return Holdfast.builder().uri(DataSourceProvider.URI).provider(new DataSourceProvider(dataSource));
    }
}
