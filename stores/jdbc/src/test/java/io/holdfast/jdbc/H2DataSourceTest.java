package io.holdfast.jdbc;

/** A data source of H2. */
class H2DataSourceTest extends DataSourceRules {

    @Override
    String uri() {
        return "jdbc:h2:mem:source;DB_CLOSE_DELAY=-1";
    }

    @Override
    String unusual() {
        return "SET LOCK_TIMEOUT 4321";
    }

    @Override
    String settings() {
        return "CALL LOCK_TIMEOUT()";
    }
}
