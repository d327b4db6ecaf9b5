package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/databases.md shows the statements by which a client makes the tables. */
class DocumentedSchemaTest {

    @Test
    void theStatementsAreThoseOfTheClient() throws IOException {
        String page = Files.readString(Path.of("../../docs/databases.md"));
        for (DatabaseKind kind : List.of(DatabaseKind.POSTGRESQL, DatabaseKind.MYSQL)) {
            assertThat(page)
                    .contains(kind.dialect(StoreSettings.DEFAULT).schema().stream()
                            .map(sql -> sql + ";\n")
                            .toList());
        }
        assertThat(DatabaseKind.MARIADB.dialect(StoreSettings.DEFAULT).schema())
                .isEqualTo(DatabaseKind.MYSQL.dialect(StoreSettings.DEFAULT).schema());
    }
}
