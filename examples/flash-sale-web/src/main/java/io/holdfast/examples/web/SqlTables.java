package io.holdfast.examples.web;

/** The tables of the stock in PostgreSQL. An entry has a time of the server's clock. */
final class SqlTables {

    static final String CREATE = """
            CREATE TABLE shop_stock (way text, shelf int, items bigint NOT NULL, PRIMARY KEY (way, shelf));
            CREATE TABLE shop_share (way text, process int, token bigint NOT NULL, items bigint NOT NULL,
                PRIMARY KEY (way, process));
            CREATE TABLE shop_key (way text PRIMARY KEY, expires timestamptz NOT NULL);
            CREATE TABLE shop_entry (id bigserial PRIMARY KEY, way text NOT NULL,
                at timestamptz NOT NULL DEFAULT clock_timestamp(), entry text NOT NULL);
            """;

    static final String INSERT_ENTRY = "INSERT INTO shop_entry (way, entry) VALUES (?, ?)";

    private SqlTables() {}
}
