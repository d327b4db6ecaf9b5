package io.holdfast.jdbc;

/** A fence in PostgreSQL. */
class PostgreSqlFenceTest extends FenceRules {

    @Override
    String uri() {
        return Servers.postgreSql().uri();
    }
}
