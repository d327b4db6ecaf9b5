package io.holdfast.jdbc;

import java.util.List;

/** A fence in MariaDB. */
class MariaDbFenceTest extends RowFenceRules {

    @Override
    String uri() {
        return Servers.mariaDb().uri();
    }

    @Override
    List<Integer> readingTheLatest() {
        return levels();
    }
}
