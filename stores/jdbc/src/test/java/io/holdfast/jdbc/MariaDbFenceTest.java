package io.holdfast.jdbc;

/** A fence in MariaDB. */
class MariaDbFenceTest extends FenceRules {

    @Override
    String uri() {
        return Servers.mariaDb().uri();
    }
}
