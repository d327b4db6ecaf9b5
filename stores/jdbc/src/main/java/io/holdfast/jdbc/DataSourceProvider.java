package io.holdfast.jdbc;

import static io.holdfast.jdbc.Address.require;

import io.holdfast.jdbc.connection.ApplicationPool;
import io.holdfast.jdbc.connection.Database;
import io.holdfast.jdbc.connection.Failures;
import io.holdfast.jdbc.connection.Opener;
import io.holdfast.jdbc.sql.FailureCodes;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreConfig;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import io.holdfast.support.FirstConnection;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** A provider that opens the database of a data source. */
final class DataSourceProvider implements StoreProvider {

    static final String URI = "jdbc:datasource";

    private static final Pattern FORM = Pattern.compile("(?s)" + URI + "(\\?.*)?");

    private final DataSource source;

    DataSourceProvider(DataSource source) {
        this.source = source;
    }

    /**
     * A database, as the driver describes it.
     *
     * @param product the name of the product
     * @param url the URL; empty if the driver does not tell it
     */
    private record Description(String product, Optional<String> url) {

        /** Returns the URL for texts, without its settings. One of another form may have a password anywhere. */
        String shown() {
            return url.map(text -> text.split("[?;]", 2)[0])
                    .filter(base -> base.startsWith(DatabaseKind.H2.scheme()) || ServerUrl.isPlain(base))
                    .map(StoreUri::masked)
                    .orElse("a DataSource");
        }
    }

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public LockStore open(StoreConfig config) {
        require(
                !config.lazy(),
                "the client of a DataSource cannot be lazy, because its first connection tells which database it is");
        StoreSettings settings = settings(config.uri());
        Description found = new FirstConnection(config.platform(), config.connectTimeout()).get(() -> describe(config));
        found.url().ifPresent(ServerUrl::requireNoRepetition);
        found.url().ifPresent(ServerUrl::requireOneHostOfMySql);
        DatabaseKind kind = DatabaseKind.ofProduct(found.product())
                .orElseThrow(() -> new IllegalArgumentException("the DataSource connects to " + found.product()
                        + "; supported are PostgreSQL, MySQL, MariaDB and H2"));
        Database database = Database.of(
                kind.dialect(settings),
                source,
                found.shown(),
                settings.createsTables(),
                config.commandTimeout().toMillis());
        return JdbcStoreProvider.open(config, database, settings);
    }

    private static StoreSettings settings(String uri) {
        require(
                FORM.matcher(uri).matches(),
                "'" + StoreUri.masked(uri) + "' is not understood; the form for a DataSource is " + URI
                        + "?tablePrefix=...");
        String all = uri.substring(URI.length());
        String others = Address.withoutStoreSettings(ServerUrl.SETTING, all).replaceFirst("[?&]$", "");
        require(
                others.isEmpty(),
                "a setting of '" + URI + "' is not one of the store; set the others at the DataSource");
        return Address.storeSettings(ServerUrl.SETTING, all);
    }

    /** Asks on a thread of its own, because a data source may return the connection of the caller's transaction. */
    private Description describe(StoreConfig config) {
        long limit = Math.max(1, config.connectTimeout().toMillis());
        try (Opener opener =
                new Opener(Opener.daemons("holdfast-datasource"), limit, new ApplicationPool(source)::explanation)) {
            return opener.call(this::describe, late -> {});
        } catch (SQLException e) {
            throw new Failures("the DataSource", FailureCodes.ofAnyKind()).opening("connect", e, false);
        }
    }

    private Description describe() throws SQLException {
        try (Connection connection = source.getConnection()) {
            DatabaseMetaData data = connection.getMetaData();
            return new Description(data.getDatabaseProductName(), Optional.ofNullable(data.getURL()));
        }
    }
}
