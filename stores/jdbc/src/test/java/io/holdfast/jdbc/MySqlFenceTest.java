package io.holdfast.jdbc;

import java.util.List;
import org.junit.jupiter.api.Tag;

/** A fence in MySQL. */
@Tag("mysql")
class MySqlFenceTest extends RowFenceRules {

    @Override
    String uri() {
        return Servers.mySql().uri();
    }

    @Override
    List<Integer> readingTheLatest() {
        return levels();
    }
}
