package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How large a module may be: less than 12 320 lines for core with the whole family of locks, and 3 752 for the Redis store,
 * which has all of it, lives beside Redisson, follows a master through failovers, and the slots of a cluster.
 */
class SizesTest {

    @ParameterizedTest
    @CsvSource({"core, 12320", "stores/redis, 3752"})
    void aModuleKeepsItsSize(String path, int limit) throws IOException {
        Module module = PublishedModules.named(path);
        int lines = 0;
        for (Path source : module.sources()) {
            lines += CodeLines.count(Files.readAllLines(source));
        }
        System.out.printf("code lines of %s: %d of %d%n", module, lines, limit);
        assertThat(lines).as("code lines of " + module).isLessThan(limit);
    }

    @Test
    void blanksCommentsAndImportsDoNotCount() {
        List<String> source = List.of(
                "/* a",
                " * comment */",
                "package a;",
                "",
                "import java.util.List;",
                "",
                "// another",
                "final class A { /* and */ // code",
                "    String a = \"/* no comment\";",
                "    char b = '\"'; /* until",
                "    here */ char c = '\\'';",
                "    String d = \"\"\"",
                "        // text",
                "        \"\"\";",
                "}");
        assertThat(CodeLines.count(source)).isEqualTo(8);
    }
}
